import { Metrics } from '../base/index.js';
import { isLoopback, startHttp } from '../http/index.js';
import type { Engines, Surroundings } from './engines.js';
import { listenForMetrics, type MetricsListener } from './metrics-listener.js';
import { Service } from './service.js';
import type { Settings } from './settings.js';

export interface Server {
  readonly url: string;
  readonly transport: 'uws' | 'node';
  readonly engines: Engines;
  /** Where the metrics are read; null where they are not served. */
  readonly metricsUrl: string | null;
  /** Stops accepting, answers what is in flight, ends the threads. */
  stop(): Promise<void>;
}

/** How long requests in flight may take to be answered when the server stops. */
const DRAIN_MS_MAX = 60_000;

/**
 * The whole program: engines, preparing threads, the decision between them, HTTP in front. HTTP listens before the
 * models are loaded, and answers 503 meanwhile. Resolves when it can answer. Throws StartError, ModelError,
 * BackendError, ListenError or the reason to stop, with nothing left running.
 */
export async function startServer(settings: Settings, surroundings: Surroundings): Promise<Server> {
  const { clock, log, report } = surroundings;
  const { host, port } = settings;
  if (!isLoopback(host)) {
    report.notice(`${host} is reached without TLS: tokens and texts cross the network as they are.`);
  }
  const metrics = new Metrics();
  const service = await Service.open(settings, surroundings, metrics);
  const http = await startHttp({
    transport: settings['http.transport'] as 'auto' | 'uws' | 'node',
    host,
    port,
    clock,
    door: service,
    onAccess: (entry) => {
      metrics.instruments.requests.inc({ route: entry.path, status: entry.status });
      log.info(entry, 'request');
    },
    onUnexpected: (error, requestId) => log.error({ err: error, requestId }, 'a request failed'),
  });
  let listener: MetricsListener | null = null;
  let stopped: Promise<void> | undefined;
  const end = async () => {
    // What takes longer than this to answer is not answered.
    const late = new Promise<void>((resolve) => clock.after(DRAIN_MS_MAX, resolve));
    await Promise.race([http.stop(), late]);
    service.engines.cancel();
    await service.close();
    await listener?.stop();
  };
  const stop = () => {
    stopped ??= end();
    return stopped;
  };
  const url = `http://${http.host.includes(':') ? `[${http.host}]` : http.host}:${http.port}`;
  try {
    if (settings['metrics.port'] !== 0) {
      const address = { host: settings['metrics.host'], port: settings['metrics.port'] };
      listener = await listenForMetrics(address, metrics);
    }
    await report.listening?.(url);
    await service.load();
  } catch (error) {
    await stop();
    throw error;
  }
  const metricsUrl = listener?.url ?? null;
  return { url, metricsUrl, transport: http.transport, engines: service.engines, stop };
}
