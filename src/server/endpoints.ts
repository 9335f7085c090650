import {
  type ConsoleSite,
  createBounds,
  type HttpServer,
  isLoopback,
  ListenError,
  type SharedBounds,
  startHttp,
} from '../http/index.js';
import type { Settings } from '../settings/index.js';
import type { Metrics } from '../telemetry/index.js';
import { consoleSite } from './console.js';
import { type ServerDependencies, StartError } from './dependencies.js';
import type { Service } from './service.js';

/** One listener of this server. */
export interface Endpoint {
  readonly http: HttpServer;
  readonly url: string;
  readonly hasConsole: boolean;
}

/** The settings that bind endpoints. */
type EndpointSettings = Pick<Settings, 'host' | 'port' | 'gateway' | 'http' | 'console'>;

interface EndpointPlan {
  /** The settings of the address, for error messages. */
  readonly keys: string;
  readonly host: string;
  readonly port: number;
  /** The model that answers every request, whatever it names; null: requests name theirs. */
  readonly model: string | null;
  /** Contract 4.6: only the base endpoint has the batch interface. */
  readonly batches: boolean;
  readonly console: ConsoleSite | null;
}

/**
 * Opens the base endpoint and, if configured, the gateway endpoint. An endpoint that serves one model ignores the
 * `model` of a request (contract 2.1). Throws StartError or ListenError, with nothing left listening and the
 * service closed.
 */
export async function listen(
  settings: EndpointSettings,
  dependencies: ServerDependencies,
  service: Service,
  metrics: Metrics,
): Promise<Endpoint[]> {
  const open: Endpoint[] = [];
  try {
    const bounds = createBounds(dependencies.clock);
    for (const plan of plans(settings, service)) {
      open.push(await listenAt(plan, bounds, settings.http, dependencies, service, metrics));
    }
    return open;
  } catch (error) {
    await Promise.all(open.map(({ http }) => http.stop()));
    await service.close();
    throw error;
  }
}

function plans(settings: EndpointSettings, service: Service): EndpointPlan[] {
  const base = {
    keys: 'host, port',
    host: settings.host,
    port: settings.port,
    model: service.engines.catalog.only,
    batches: true,
    console: consoleSite(settings.console),
  };
  const { host, port, model } = settings.gateway;
  if (port === 0) return [base];
  if (!service.serves(model, null)) {
    throw new StartError(
      `gateway.model is "${model}", which is not a model of the manifest. Run: decider models list`,
    );
  }
  return [base, { keys: 'gateway.host, gateway.port', host, port, model, batches: false, console: null }];
}

async function listenAt(
  { keys, host, port, model, batches, console }: EndpointPlan,
  bounds: SharedBounds,
  { transport }: EndpointSettings['http'],
  { clock, log, report }: ServerDependencies,
  service: Service,
  metrics: Metrics,
): Promise<Endpoint> {
  if (!isLoopback(host)) {
    report.notice(`${host} is served without TLS: tokens and requests cross the network unencrypted.`);
  }
  const http = await startHttp({
    bounds,
    transport,
    host,
    port,
    clock,
    app: service,
    model,
    batches,
    console,
    onAccess: (entry) => {
      metrics.instruments.requests.inc({ route: entry.path, status: entry.status });
      log.info(entry, 'request');
    },
    onUnexpected: (error, requestId) => log.error({ err: error, requestId }, 'a request failed'),
  }).catch((error) => {
    throw error instanceof ListenError ? new ListenError(`${keys}: ${error.message}`) : error;
  });
  const url = `http://${http.host.includes(':') ? `[${http.host}]` : http.host}:${http.port}`;
  return { http, url, hasConsole: console !== null };
}
