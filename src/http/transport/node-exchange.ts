import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InFlight } from './in-flight.js';
import { Linger } from './linger.js';
import type { ConnectionTurns } from './node-turns.js';
import type { ReadTurns } from './read-turns.js';
import { SEND_PATIENCE_MS } from './send-pace.js';
import { SLICE_BYTES, sendPieces } from './send-pieces.js';
import {
  type BodyStream,
  ClientGone,
  type HeaderList,
  isBodiless,
  type ListenOptions,
  type Reply,
} from './types.js';

/** A connection idle in both directions is closed. */
export const IDLE_MS = 10_000;

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
    const { req, res } = this;
    if (res.destroyed) return;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const last = this.#writeHead(reply, [['Content-Length', String(bytes.byteLength)]]);
    const isShort = bytes.byteLength <= SLICE_BYTES || isBodiless(req.method ?? '', reply);
    const lingers = last && !req.complete && reply.unread !== 'overdue';
    // Longer responses are paced by `sendPieces`, which waits only for the client: a timer of the socket would also run
    // while the server produces the next piece.
    if (isShort || lingers) res.setTimeout(IDLE_MS, () => res.destroy());
    if (lingers) this.#linger(bytes, isBodiless(req.method ?? '', reply));
    else if (isShort) res.end(bytes);
    else {
      this.#send([bytes]).then(
        (sent) => sent && this.#end(() => {}),
        () => res.destroy(),
      );
    }
  }

  async writeStream(reply: Reply, { pieces, stopped, sent }: BodyStream): Promise<void> {
    const { req, res } = this;
    if (res.destroyed) return;
    if (stopped?.aborted) {
      res.destroy();
      return;
    }
    // Also while it waits for the client, and until the kernel has the last byte.
    stopped?.addEventListener('abort', () => res.destroy(), { once: true });
    this.#writeHead(reply, []);
    if (req.method === 'HEAD') res.end();
    else if (await this.#send(pieces)) this.#end(sent);
  }

  /** Ends a paced response. Also watches what the kernel has not accepted yet: `finish` is emitted even if it never will. */
  #end(sent: () => void): void {
    const { req, res, server } = this;
    const cancel = server.options.clock.after(SEND_PATIENCE_MS, () => res.destroy());
    res.once('close', cancel);
    res.end(() => {
      cancel();
      if (req.socket.destroyed) this.#gone.abort(new ClientGone());
      else sent();
    });
  }

  #send(pieces: BodyStream['pieces']): Promise<boolean> {
    const { res, signal, server } = this;
    const sink = {
      write: (piece: Uint8Array) => res.write(piece),
      onRoom: (resume: () => void) => void res.once('drain', resume),
      signal,
    };
    return sendPieces(pieces, sink, server.options.clock);
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
   * Sends the last response while the client is still sending its request. Node closes the connection when a response
   * ends, so this one does not end before the request; the client has received all of it by then.
   */
  #linger(bytes: Uint8Array, bodiless: boolean): void {
    const { req, res, server } = this;
    const linger = new Linger(server.options.clock, () => res.end());
    req.on('data', (chunk: Uint8Array) => linger.discarded(chunk.byteLength));
    req.once('end', () => res.end());
    res.once('close', () => linger.stop());
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
