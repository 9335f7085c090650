import { isIPv4 } from 'node:net';
import { type Clock, randomLetters } from '../base/index.js';
import type { App } from './app.js';
import type { BodyDeadlines } from './body.js';
import { BodyMemory } from './body-memory.js';
import { TrustedProxies } from './client-address.js';
import type { ConsoleSite } from './console/serve-console.js';
import { CrossOrigin } from './cross-origin.js';
import { Downloads } from './downloads.js';
import { type AccessEntry, createPipeline } from './pipeline.js';
import { malformedReply, plainReply } from './reply.js';
import type { Certificate } from './transport/certificate.js';
import { type ConnectionBounds, createConnectionBounds } from './transport/connection-bounds.js';
import { loadTransport } from './transport/load-transport.js';
import {
  ListenError,
  type Listener,
  type MalformedStatus,
  type Transport,
  type TransportName,
} from './transport/transport-types.js';

/** A body must progress by 64 KiB in 8 seconds (8 KiB per second) and be complete within a minute. */
export const BODY_DEADLINES: BodyDeadlines = { stallMs: 8_000, stallBytes: 64 * 1024, totalMs: 60_000 };

/** Sixteen bodies of the largest size; see `bodyShares`. */
export const BODY_MEMORY_BYTES = 512 * 1024 * 1024;

/** Longer than load balancers keep idle connections (60 seconds), so that they do not send into a closed one. */
const KEEP_ALIVE_MS = 75_000;

/** Bounds that all endpoints of a server share. */
export interface SharedBounds {
  readonly memory: BodyMemory;
  readonly downloads: Downloads;
  readonly connections: ConnectionBounds;
}

export const createBounds = (clock: Clock, bodyMemoryBytes: number = BODY_MEMORY_BYTES): SharedBounds => ({
  memory: new BodyMemory(bodyMemoryBytes, clock),
  downloads: new Downloads(clock),
  connections: createConnectionBounds(),
});

export interface HttpOptions {
  readonly transport: Transport | TransportName;
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Null or absent: plain HTTP. */
  readonly tls?: Certificate | null;
  /** Addresses and networks whose `X-Forwarded-For` is trusted; none if absent. */
  readonly trustedProxies?: readonly string[];
  readonly app: App;
  /** The model that answers every request here now, whatever it names; null or absent: requests name theirs. */
  readonly model?: () => string | null;
  /** Whether this endpoint has the batch interface; true if absent. */
  readonly batches?: boolean;
  /** The web console; absent: this endpoint has none. */
  readonly console?: ConsoleSite | null;
  /** Origins whose pages may call this endpoint; none if absent. */
  readonly corsOrigins?: readonly string[];
  readonly clock: Clock;
  /** Called once per finished request. Must not throw. */
  readonly onAccess: (entry: AccessEntry) => void;
  /** Called with errors of the app other than `ApiError`. Must not throw. */
  readonly onUnexpected: (error: unknown, requestId: string) => void;
  readonly newRequestId?: () => string;
  readonly deadlines?: BodyDeadlines;
  /** How long a connection without a request stays open after a response; 75 seconds if absent. */
  readonly keepAliveMs?: number;
  /** Maximum memory for bodies, if `bounds` is absent. */
  readonly bodyMemoryBytes?: number;
  /** Shared with other endpoints; separate if absent. */
  readonly bounds?: SharedBounds;
}

export interface HttpServer extends Listener {
  readonly transport: TransportName;
}

/**
 * Starts answering requests (contract 4). Rejects with `ListenError` if the address is not available, with `TlsError` if
 * the certificate is not accepted, and with `SettingsError` if the chosen transport does not load.
 */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const { host, port, clock } = options;
  // uWebSockets.js would use the lower 16 bits of a larger number.
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw ListenError.at(host, port, 'a port must be an integer from 0 to 65535');
  }
  const { connections, ...bounds } = options.bounds ?? createBounds(clock, options.bodyMemoryBytes);
  const newId = options.newRequestId ?? newRequestId;
  const handler = createPipeline({
    app: options.app,
    model: options.model ?? (() => null),
    batches: options.batches ?? true,
    console: options.console ?? null,
    crossOrigin: new CrossOrigin(options.corsOrigins ?? []),
    clock,
    newRequestId: newId,
    proxies: new TrustedProxies(options.trustedProxies ?? []),
    onAccess: options.onAccess,
    onUnexpected: options.onUnexpected,
    deadlines: options.deadlines ?? BODY_DEADLINES,
    ...bounds,
  });
  const { transport: chosen } = options;
  const transport = typeof chosen === 'string' ? await loadTransport(chosen) : chosen;
  const refuse = (status: MalformedStatus) => malformedReply(newId(), status);
  const refusePlain = () => plainReply(newId());
  const tls = options.tls ?? null;
  const keepAliveMs = options.keepAliveMs ?? KEEP_ALIVE_MS;
  const replies = { refuse, refusePlain };
  const listening = { host, port, tls, handler, ...replies, keepAliveMs, bounds: connections, clock };
  const listener = await transport.listen(listening);
  return { ...listener, transport: transport.name };
}

/** A new id of a request: `req_` and 24 letters or digits (contract 4.1 `X-Request-Id`). */
export const newRequestId = (): string => `req_${randomLetters(24)}`;

/** Whether a listening address is reachable from this machine only: 127.0.0.0/8, `::1` or `localhost`. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || name === '::1') return true;
  return isIPv4(name) && name.startsWith('127.');
}
