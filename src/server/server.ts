import { LIMITS } from '../api/index.js';
import { endAll } from '../base/index.js';
import { type AccessEntry, type ChosenTransport, chooseTransport } from '../http/index.js';
import { loadImageLibrary } from '../images/index.js';
import type { Settings } from '../settings/index.js';
import { openStorage, type Rekeyed } from '../storage/index.js';
import { Metrics } from '../telemetry/index.js';
import { BatchService } from './batch-service.js';
import { pricesByBuild } from './build-prices.js';
import { listen } from './endpoints.js';
import { Engines } from './engines.js';
import { startRecord } from './last-abort.js';
import type { OperatorListener } from './operator/listener.js';
import { openOperator } from './operator/open-operator.js';
import { Reloader } from './reload/reloader.js';
import { RequestHistory } from './request-history.js';
import { requestMetrics } from './request-metrics.js';
import { openTraces } from './request-traces.js';
import type { ServerDependencies } from './server-dependencies.js';
import { Service } from './service.js';
import { requireModels, requireStartable } from './start-checks.js';

export interface Server {
  /** URL of the base endpoint. */
  readonly url: string;
  /** URLs of all endpoints, the base endpoint first. */
  readonly urls: readonly string[];
  /** Whether the base endpoint has the web console. */
  readonly hasConsole: boolean;
  readonly transport: 'uws' | 'node';
  readonly engines: Engines;
  /** Resolves, with the reason, if the process has to be restarted. Requests are 503 from then on. */
  readonly failed: Promise<string>;
  /** URL of the operator listener; null if there is none. */
  readonly operatorUrl: string | null;
  /**
   * Takes over settings, and reads the manifest and the certificate again. Returns the keys of what has changed, and
   * `added`, `replaced` or `removed` with the id of each build to which that happened. Rejects with OperatorError, with
   * nothing changed, if a setting needs a restart, or a setting or a model cannot be used. If one of several endpoints
   * does not accept a new certificate, only the others have changed.
   */
  reload(next: Settings): Promise<string[]>;
  /**
   * Changes the master key of the stored batches while they run: generates one in the data folder, or reads a configured
   * one from `newKeyFile`. One change at a time. Rejects with StoreError.
   */
  rekey(newKeyFile: string | null): Promise<Rekeyed>;
  /** Stops accepting, answers what is in flight, ends the threads. */
  stop(): Promise<void>;
}

/**
 * The whole program. Requests go from the endpoints (HTTP) to the service, which authenticates them and reserves their
 * cost in the storage, has them prepared and answered by the engines, and charges them. Batches use the same engines and
 * the same storage.
 *
 * HTTP listens before the models are loaded and answers 503 meanwhile. Resolves when requests can be answered. Throws
 * StartError, ModelError, BackendError, StoreError, AccessError, ListenError, TlsError or the stop signal's reason, with
 * nothing left running.
 */
export async function startServer(settings: Settings, dependencies: ServerDependencies): Promise<Server> {
  const { stop, chooseTransport: choose = chooseTransport } = dependencies;
  const abandoned = new AbortController();
  // Its process runs beside the rest of the start.
  const choosing = choose(settings.http.transport, AbortSignal.any([stop, abandoned.signal]));
  // Reported where it is awaited.
  choosing.catch(() => {});
  try {
    return await start(settings, dependencies, choosing);
  } catch (error) {
    abandoned.abort();
    await choosing.catch(() => {});
    throw error;
  }
}

async function start(
  settings: Settings,
  dependencies: ServerDependencies,
  choosing: Promise<ChosenTransport>,
): Promise<Server> {
  const { clock, log, report } = dependencies;
  const metrics = new Metrics();
  measureLog(metrics, dependencies);

  // Before anything is opened: a start that the settings forbid leaves nothing behind.
  await requireStartable(settings);
  const traces = openTraces(settings.traces, clock, log, metrics);
  const engines = await Engines.open(settings, dependencies, metrics);
  requireModels(settings, engines.catalog);
  engines.current.prices = pricesByBuild(settings.billing, engines.catalog);
  const storage = await openStorage(settings, dependencies);
  storage.measure(metrics);
  const record = await startRecord(settings.data, storage, log);
  const service = new Service(settings, dependencies, metrics, engines, storage);
  const close = () => endAll([() => service.close(), () => record.close(), () => traces?.close()]);
  const requests = new RequestHistory(clock);
  const intoMetrics = requestMetrics(metrics);
  const measure = (entry: AccessEntry) => {
    intoMetrics(entry);
    requests.count(entry);
  };
  const openEndpoints = async () => {
    const { transport, reason } = await choosing;
    if (reason !== null) log.info({ transport: transport.name }, reason);
    return listen(settings, dependencies, service, measure, transport, traces);
  };
  const endpoints = await openEndpoints().catch(async (error) => {
    await close();
    throw error;
  });
  const reloader = new Reloader(settings, {
    engines,
    openModels: () => service.openModels(),
    prepare: (next) => service.prepareSettings(next),
    prepareTls: endpoints.prepareTls,
    clock,
    log,
  });
  let operator: OperatorListener | null = null;

  const load = async () => {
    await Promise.all([engines.load(record), loadImageLibrary()]);
    await engines.startPreparing();
    const batches = settings.batch.enabled
      ? await BatchService.start(settings, dependencies, engines, storage, record, metrics, {
          tasks: service.batchTasks,
          storedBytesMax: () => reloader.settings.batch.max_stored_bytes,
          workspacePercent: () => reloader.settings.batch.max_workspace_percent,
        })
      : null;
    storage.tasks.start({
      answersOfTask: LIMITS.taskAnswers,
      retentionDays: () => reloader.settings.tasks.retention_days,
      maxAnswers: () => reloader.settings.tasks.max_answers,
    });
    service.serve(batches);
    // Last, because a printed token must work: a start that fails makes no key.
    await storage.createFirstKey();
  };
  const end = async () => {
    service.beginStop();
    const notReloading = reloader.stop();
    const late = new Promise<void>((resolve) => clock.after(reloader.settings.http.drain_ms, resolve));
    await endAll([
      () => Promise.race([endpoints.stop(), late]),
      () => notReloading,
      close,
      () => operator?.stop(),
    ]);
  };
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= end();
    return stopped;
  };

  const urls = endpoints.all.map(({ url }) => url);
  const [url] = urls as [string];
  try {
    operator = await openOperator(settings, reloader, dependencies, service, metrics, requests);
    await report.listening?.(url);
    await load();
  } catch (error) {
    // The original error is reported, even if the cleanup fails.
    await stop().catch(() => {});
    throw error;
  }
  const { http, hasConsole } = endpoints.all[0];
  return {
    url,
    urls,
    hasConsole,
    operatorUrl: operator?.url ?? null,
    transport: http.transport,
    engines,
    failed: engines.stuck,
    async reload(next) {
      const before = reloader.settings;
      const { keys, builds } = await reloader.reload(next);
      service.recordReload(before, next, { keys, builds });
      return [...keys, ...builds];
    },
    rekey: (newKeyFile) => storage.rekey(newKeyFile),
    stop,
  };
}

function measureLog(metrics: Metrics, { logLinesDropped: dropped }: ServerDependencies): void {
  const { logLinesDropped } = metrics.instruments;
  metrics.beforeScrape(() => {
    logLinesDropped.reset();
    logLinesDropped.inc(dropped?.() ?? 0);
  });
}
