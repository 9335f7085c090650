import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InFlight } from './in-flight.js';
import { endBehindRequest, endWatched, IDLE_MS, sendBody, sendPaced } from './node-send.js';
import type { ConnectionTurns } from './node-turns.js';
import {
  type BodyStream,
  ClientGone,
  type HeaderList,
  isBodiless,
  type ListenOptions,
  type Reply,
} from './transport-types.js';

/** Bytes of all bodies that are read in one turn of the event loop; takes 2 to 5 ms. */
export const TURN_BYTES = 4 * 1024 * 1024;

/** A request whose body arrives. */
interface Arriving {
  pause(): unknown;
  resume(): unknown;
}

/** Pauses bodies until the next turn once many bytes have arrived in one, so that other requests are answered. */
export class ReadTurns {
  #bytes = 0;
  readonly #paused = new Set<Arriving>();

  /** Called for each part of a body that was read. */
  read(request: Arriving, bytes: number): void {
    if (this.#bytes === 0) setImmediate(() => this.#next());
    this.#bytes += bytes;
    if (this.#bytes < TURN_BYTES) return;
    request.pause();
    this.#paused.add(request);
  }

  #next(): void {
    this.#bytes = 0;
    const paused = [...this.#paused];
    this.#paused.clear();
    for (const request of paused) request.resume();
  }
}

const NOTHING = new Uint8Array(0);

/** State that the requests of a server share. */
export interface ServerState {
  readonly options: ListenOptions;
  readonly turns: ConnectionTurns;
  readonly reading: ReadTurns;
  readonly inFlight: InFlight;
  stopping: boolean;
}

/** One request and its response. */
export class NodeExchange {
  readonly #gone = new AbortController();
  readonly signal = this.#gone.signal;
  /** Resolves when the response has ended, written or not. */
  readonly over: Promise<void>;
  #answered = false;

  constructor(
    readonly server: ServerState,
    readonly req: IncomingMessage,
    readonly res: ServerResponse,
  ) {
    server.inFlight.enter();
    // The timeout of an earlier response on the connection would end this request.
    req.socket.setTimeout(0);
    this.over = new Promise((resolve) => {
      res.once('close', () => {
        if (!this.#answered) {
          this.#leave();
          if (!res.writableFinished) this.#gone.abort(new ClientGone());
        }
        resolve();
      });
    });
  }

  write(reply: Reply, body: string | Uint8Array): void {
    const { req, res, server } = this;
    if (res.destroyed) return;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const last = this.#writeHead(reply, [['Content-Length', String(bytes.byteLength)]]);
    const bodiless = isBodiless(req.method ?? '', reply);
    const lingers = last && !req.complete && reply.unread !== 'overdue';
    if (!lingers) {
      sendBody(res, bodiless ? NOTHING : bytes, this.signal, server.options.clock);
      return;
    }
    res.setTimeout(IDLE_MS, () => res.destroy());
    this.#linger(bytes, bodiless);
  }

  async writeStream(reply: Reply, { pieces, stopped, sent }: BodyStream): Promise<void> {
    const { req, res, server } = this;
    if (res.destroyed) return;
    if (stopped?.aborted) {
      res.destroy();
      return;
    }
    // Also while it waits for the client, and until the kernel has the last byte.
    stopped?.addEventListener('abort', () => res.destroy(), { once: true });
    this.#writeHead(reply, []);
    if (req.method === 'HEAD') res.end();
    else if (await sendPaced(res, pieces, this.signal, server.options.clock)) {
      endWatched(res, server.options.clock, () => {
        if (req.socket.destroyed) this.#gone.abort(new ClientGone());
        else sent();
      });
    }
  }

  /** Whether this is the last response of the connection. */
  #writeHead(reply: Reply, own: HeaderList): boolean {
    const { req, res, server } = this;
    const last = reply.close || server.stopping || server.turns.isLast(req.socket);
    if (last) server.turns.end(req.socket);
    const closing: HeaderList = last ? [['Connection', 'close']] : [];
    res.writeHead(reply.status, [...reply.headers, ...own, ...closing].flat());
    return last;
  }

  /**
   * Sends the last response while the client is still sending its request. The client has received all of it before it
   * ends.
   */
  #linger(bytes: Uint8Array, bodiless: boolean): void {
    const { req, res, server } = this;
    endBehindRequest(req, res, server.options.clock);
    if (bytes.byteLength === 0 || bodiless) res.flushHeaders();
    const written = () => {
      this.#answered = true;
      this.#leave();
    };
    if (bytes.byteLength === 0 || bodiless) written();
    else res.write(bytes, (error) => error ?? written());
  }

  #leave(): void {
    this.server.inFlight.leave();
  }
}
