import { type DecideCalls, decide } from '../decide/index.js';
import { isLoopback, startHttp } from '../http/index.js';
import { type Engines, type Surroundings, startEngines } from './engines.js';
import { PreparePool } from './prepare-pool.js';
import type { Settings } from './settings.js';

export interface Server {
  readonly url: string;
  readonly transport: 'uws' | 'node';
  readonly engines: Engines;
  /** Stops accepting, answers what is in flight, ends the threads. */
  stop(): Promise<void>;
}

/** How long requests in flight may take to be answered when the server stops. */
const DRAIN_MS_MAX = 60_000;

/** The server cannot start as configured; the message names what to change. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/**
 * The whole program: engines, preparing threads, the decision between them, HTTP in front. Resolves when it
 * can answer. Throws StartError, ModelError, BackendError ListenError or the reason to stop, with nothing left running.
 */
export async function startServer(settings: Settings, surroundings: Surroundings): Promise<Server> {
  const { clock, log } = surroundings;
  const { host, port } = settings;
  if (!isLoopback(host)) {
    throw new StartError(
      `DECIDER_HOST is ${host}: without keys the server answers anyone, so it listens on a loopback address only.`,
    );
  }
  const parts: Array<() => Promise<void>> = [];
  const stop = async () => {
    for (const end of parts.splice(0).reverse()) await end();
  };
  try {
    const engines = await startEngines(settings, surroundings);
    parts.push(() => engines.close());
    const prepare = new PreparePool(
      {
        backend: engines.backend,
        device: engines.device,
        models: settings.models,
        cells: settings['engine.cells'],
      },
      settings['prepare.threads'],
    );
    parts.push(() => prepare.close());
    await prepare.ready();
    const calls: DecideCalls = {
      clock,
      prepare: (task) => prepare.prepare(task),
      engine: (build) => engines.get(build),
    };
    const http = await startHttp({
      transport: settings['http.transport'] as 'auto' | 'uws' | 'node',
      host,
      port,
      clock,
      door: {
        decide: ({ body, unknownModel, signal }) => decide({ body, unknownModel }, calls, signal),
        models: () => engines.catalog.list().map((model) => ({ ...model, ownedBy: 'decider' })),
      },
      onAccess: (entry) => log.info(entry, 'request'),
      onUnexpected: (error, requestId) => log.error({ err: error, requestId }, 'a request failed'),
    });
    parts.push(async () => {
      // What takes longer than this to answer is not answered.
      const late = new Promise<void>((resolve) => clock.after(DRAIN_MS_MAX, resolve));
      await Promise.race([http.stop(), late]);
      engines.cancel();
    });
    const address = http.host.includes(':') ? `[${http.host}]` : http.host;
    return { url: `http://${address}:${http.port}`, transport: http.transport, engines, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
