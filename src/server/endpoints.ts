import { StartError } from '../base/index.js';
import type { Catalog } from '../engine/index.js';
import {
  type AccessEntry,
  type Certificate,
  type ConsoleSite,
  createBounds,
  type HttpServer,
  ListenError,
  type SharedBounds,
  startHttp,
  type Transport,
  tryCertificate,
} from '../http/index.js';
import type { Settings } from '../settings/index.js';
import { consoleSite } from './console.js';
import { exposureOf, type HostSetting } from './exposure.js';
import { requestLog } from './request-log.js';
import type { RequestTraces } from './request-traces.js';
import type { ServerDependencies } from './server-dependencies.js';
import type { Service } from './service.js';
import { CertificateWatch, expiryWarning, tlsFiles } from './watch-certificate.js';

/** One listener of this server. */
interface Endpoint {
  readonly http: HttpServer;
  readonly url: string;
  readonly hasConsole: boolean;
}

/** The listeners of this server. */
interface Endpoints {
  /** The base endpoint first. */
  readonly all: readonly [Endpoint, ...Endpoint[]];
  /**
   * Reads the certificate again; see `CertificateWatch.prepare`. The function returns whether it is a new one, which new
   * connections then get. Without TLS, it returns false.
   */
  prepareTls(): Promise<() => boolean>;
  /** Answers what is in flight. */
  stop(): Promise<void>;
}

/** The settings that bind endpoints. */
type EndpointSettings = Pick<Settings, 'host' | 'port' | 'gateway' | 'http' | 'tls' | 'console' | 'log'>;

interface EndpointPlan {
  /** The settings of the address, for messages. */
  readonly keys: { readonly host: HostSetting; readonly port: string };
  readonly host: string;
  readonly port: number;
  /** The model that answers every request now, whatever it names; null: requests name theirs. */
  readonly model: () => string | null;
  /** Contract 4.6: only the base endpoint has the batch interface. */
  readonly batches: boolean;
  readonly console: ConsoleSite | null;
}

/**
 * Opens the base endpoint and, if configured, the gateway endpoint. An endpoint that serves one model ignores the
 * `model` of a request (contract 2.1). `measure`: is called with every request. Throws StartError, TlsError or ListenError,
 * with nothing left listening.
 */
export async function listen(
  settings: EndpointSettings,
  dependencies: ServerDependencies,
  service: Service,
  measure: (entry: AccessEntry) => void,
  transport: Transport,
  traces: RequestTraces | null,
): Promise<Endpoints> {
  const open: Endpoint[] = [];
  const stop = async () => void (await Promise.all(open.map(({ http }) => http.stop())));
  try {
    const { clock, log } = dependencies;
    const planned = plans(settings, service);
    for (const { keys, host } of planned) {
      const exposure = exposureOf(keys.host, host, settings);
      if (exposure !== null) dependencies.report.notice(exposure.notice);
    }
    const certificate = await loadCertificate(settings, dependencies);
    const bounds = createBounds(clock);
    const logRequest = requestLog(log, settings.log.sample);
    const onAccess = (entry: AccessEntry) => {
      measure(entry);
      logRequest(entry, traces?.record(entry));
    };
    for (const plan of planned) {
      open.push(
        await listenAt(plan, bounds, certificate, transport, settings.http, dependencies, service, onAccess),
      );
    }
    const listeners = open.map(({ http }) => http);
    const watch = certificate && new CertificateWatch({ current: certificate, listeners, clock, log });
    return {
      all: open as [Endpoint, ...Endpoint[]],
      prepareTls: async () => (await watch?.prepare()) ?? (() => false),
      stop() {
        watch?.stop();
        return stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Null without TLS. */
async function loadCertificate({ tls }: EndpointSettings, { clock, report }: ServerDependencies) {
  const files = tlsFiles(tls);
  if (files === null) return null;
  const certificate = await tryCertificate(files);
  const warning = expiryWarning(certificate, clock.now());
  if (warning !== null) report.notice(warning);
  return certificate;
}

function plans(settings: EndpointSettings, service: Service): EndpointPlan[] {
  const base = {
    keys: { host: 'host', port: 'port' } as const,
    host: settings.host,
    port: settings.port,
    model: () => service.engines.catalog.only,
    batches: true,
    console: consoleSite(settings.console),
  };
  const { host, port, model } = settings.gateway;
  if (port === 0) return [base];
  requireGatewayModel(settings, service.engines.catalog);
  const keys = { host: 'gateway.host', port: 'gateway.port' } as const;
  return [base, { keys, host, port, model: () => model, batches: false, console: null }];
}

/** Throws StartError if the gateway endpoint is to serve a model that the manifest does not have. */
export function requireGatewayModel(
  { gateway: { port, model } }: Pick<Settings, 'gateway'>,
  catalog: Pick<Catalog, 'find'>,
): void {
  if (port === 0 || catalog.find(model) !== undefined) return;
  throw new StartError(
    `gateway.model is "${model}", which is not a model of the manifest. Run: decider models list`,
  );
}

async function listenAt(
  { keys, host, port, model, batches, console }: EndpointPlan,
  bounds: SharedBounds,
  tls: Certificate | null,
  transport: Transport,
  {
    trusted_proxies: trustedProxies,
    cors_origins: corsOrigins,
    keep_alive_s: keepAlive,
  }: EndpointSettings['http'],
  { clock, log }: ServerDependencies,
  service: Service,
  onAccess: (entry: AccessEntry) => void,
): Promise<Endpoint> {
  const http = await startHttp({
    bounds,
    transport,
    host,
    port,
    tls,
    trustedProxies,
    corsOrigins,
    keepAliveMs: keepAlive * 1_000,
    clock,
    app: service,
    model,
    batches,
    console,
    onAccess,
    onUnexpected: (error, requestId) => log.error({ err: error, requestId }, 'a request failed'),
  }).catch((error) => {
    throw error instanceof ListenError
      ? new ListenError(`${keys.host}, ${keys.port}: ${error.message}`)
      : error;
  });
  const url = `${tls === null ? 'http' : 'https'}://${http.host.includes(':') ? `[${http.host}]` : http.host}:${http.port}`;
  return { http, url, hasConsole: console !== null };
}
