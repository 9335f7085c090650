import type { Clock } from '../base/index.js';
import type { App } from './app.js';
import type { BodyDeadlines } from './body.js';
import { BodyMemory } from './body-memory.js';
import { Downloads } from './downloads.js';
import { type AccessEntry, createPipeline } from './pipeline.js';
import { malformedReply } from './reply.js';
import { newRequestId } from './request-id.js';
import {
  chooseTransport,
  ListenError,
  type Listener,
  type MalformedStatus,
  type TransportChoice,
  type TransportName,
} from './transport/index.js';

/** A body that brings less than 64 KiB in 8 seconds, or 8 KiB per second, is given up, and any after a minute. */
export const BODY_DEADLINES: BodyDeadlines = { stallMs: 8_000, stallBytes: 64 * 1024, totalMs: 60_000 };

/** Sixteen bodies of the largest size; see `bodyShares`. */
export const BODY_MEMORY_BYTES = 512 * 1024 * 1024;

/** What the requests of all endpoints of a server have together. */
export interface SharedBounds {
  readonly memory: BodyMemory;
  readonly downloads: Downloads;
}

export const createBounds = (clock: Clock, bodyMemoryBytes: number = BODY_MEMORY_BYTES): SharedBounds => ({
  memory: new BodyMemory(bodyMemoryBytes, clock),
  downloads: new Downloads(),
});

export interface HttpOptions {
  readonly transport: TransportChoice;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly app: App;
  /** The model that answers here whatever a request names; null or absent where requests name it. */
  readonly model?: string | null;
  /** Whether this endpoint has the batch interface; it has where absent. */
  readonly batches?: boolean;
  readonly clock: Clock;
  /** Called once per finished request. Must not throw. */
  readonly onAccess: (entry: AccessEntry) => void;
  /** Called with what an app threw that is no `ApiError`. Must not throw. */
  readonly onUnexpected: (error: unknown, requestId: string) => void;
  readonly newRequestId?: () => string;
  readonly deadlines?: BodyDeadlines;
  /** The most memory of bodies at a time, where `bounds` is absent. */
  readonly bodyMemoryBytes?: number;
  /** Shared with other endpoints; its own where absent. */
  readonly bounds?: SharedBounds;
}

export interface HttpServer extends Listener {
  readonly transport: TransportName;
}

/**
 * Starts answering requests (contract 4). Rejects with a `ListenError` where the address cannot be had, and with
 * an `Error` where the transport asked for does not load.
 */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const { host, port, clock } = options;
  // Checked here: uWebSockets.js would take the lower 16 bits of a larger number.
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw ListenError.at(host, port, 'a port is a whole number from 0 to 65535');
  }
  const newId = options.newRequestId ?? newRequestId;
  const handler = createPipeline({
    app: options.app,
    model: options.model ?? null,
    batches: options.batches ?? true,
    clock,
    newRequestId: newId,
    onAccess: options.onAccess,
    onUnexpected: options.onUnexpected,
    deadlines: options.deadlines ?? BODY_DEADLINES,
    ...(options.bounds ?? createBounds(clock, options.bodyMemoryBytes)),
  });
  const transport = await chooseTransport(options.transport);
  const refuse = (status: MalformedStatus) => malformedReply(newId(), status);
  const listener = await transport.listen({ host, port, handler, refuse, clock });
  return { ...listener, transport: transport.name };
}
