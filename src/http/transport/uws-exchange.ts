import type { InFlight } from './in-flight.js';
import { Linger } from './linger.js';
import type { ReplyEnds } from './send-pace.js';
import {
  type BodyListener,
  type BodyStream,
  ClientGone,
  type Incoming,
  isStream,
  type ListenOptions,
  type Reply,
} from './types.js';
import { refuseAtOnce, writeLastReply } from './uws-last.js';
import type { UwsResponse } from './uws-library.js';
import { writeUwsReply, writeUwsStream } from './uws-reply.js';

/** Below the 8 seconds after which the library may drop a body that makes no progress. */
const REFRESH_MS = 4_000;

/** What the requests of a server share. */
export interface ServerState {
  readonly options: ListenOptions;
  readonly inFlight: InFlight;
  stopping: boolean;
}

/** One request and the guard in front of its response object, which nobody else touches. */
export class UwsExchange {
  readonly #gone = new AbortController();
  readonly signal = this.#gone.signal;
  /** No answer has been written, and the client is there. */
  #open = true;
  /** The response object must not be touched: the connection is closed, or an answer that is not the last is written. */
  #dead = false;
  #closing = false;
  #listening = false;
  #bodyOver = false;
  #linger: Linger | null = null;
  #cancelRefresh: () => void = () => {};

  constructor(
    readonly server: ServerState,
    readonly res: UwsResponse,
  ) {
    server.inFlight.enter();
    res.onAborted(() => {
      this.#dead = true;
      this.#linger?.stop();
      if (!this.#open) return;
      this.#leave();
      this.#gone.abort(new ClientGone());
    });
  }

  onBody(listener: BodyListener): void {
    this.#refresh();
    this.#listen((chunk, last) => {
      if (!this.#open) return;
      if (last) this.#cancelRefresh();
      try {
        listener(chunk, last);
      } catch {
        this.cut();
      }
    });
  }

  async write(reply: Reply, { method, headers }: Pick<Incoming, 'method' | 'headers'>): Promise<void> {
    this.#cancelRefresh();
    if (!this.#open || this.#closing) return;
    const head = method === 'HEAD';
    const { body } = reply;
    // The library leaves a connection open for ever where a listener hears the end of a body behind the answer.
    const amidBody = this.#listening && !this.#bodyOver;
    const finish = () => this.#finish();
    if (reply.close || this.server.stopping || amidBody)
      await this.#writeLast(reply, head, announcesBody(headers));
    else if (!isStream(body)) writeUwsReply(this.res, reply, body, head, this.#ends(finish));
    else if (await this.#writeStream(reply, body, head)) finish();
  }

  /** Closes the connection without an answer. */
  cut(): void {
    if (this.#open) this.#close();
  }

  /** Not before the parser is done with the packet: what it finds there would close the connection, the answer unsent. */
  async #writeLast(reply: Reply, head: boolean, hasBody: boolean): Promise<void> {
    const { body, unread } = reply;
    if (unread === 'unframed' && !head && !isStream(body)) {
      refuseAtOnce(this.res, { ...reply, body });
      return;
    }
    if (!this.#listening) this.#listen(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#dead) return;
    const lingers = hasBody && unread === undefined;
    const done = () => this.#endConnection(lingers);
    if (!isStream(body)) writeLastReply(this.res, { ...reply, body }, head, this.#ends(done));
    else if (await this.#writeStream({ ...reply, close: true }, body, head)) done();
  }

  #writeStream(reply: Reply, body: BodyStream, head: boolean): Promise<boolean> {
    return writeUwsStream(this.res, reply, body, head, this.signal, this.server.options.clock);
  }

  #ends(done: () => void): ReplyEnds {
    return { clock: this.server.options.clock, done, drop: () => this.cut() };
  }

  /** All of the last answer is with the kernel: closes the connection when the client is done sending. */
  #endConnection(lingers: boolean): void {
    this.#leave();
    if (this.#bodyOver || !lingers) this.#close();
    else this.#linger = new Linger(this.server.options.clock, () => this.#close());
  }

  /** Not within a callback of the library: behind one for a chunk it would call the next of the packet, freed by then. */
  #close(): void {
    this.#closing = true;
    setImmediate(() => {
      if (!this.#dead) this.res.close();
    });
  }

  /** An answer that is not the last is written: the response object may be another request's. */
  #finish(): void {
    this.#dead = true;
    this.#leave();
  }

  #listen(listener: BodyListener): void {
    this.#listening = true;
    this.res.onData((chunk, last) => {
      this.#bodyOver = last;
      if (this.#linger === null) listener(new Uint8Array(chunk), last);
      else if (last) this.#close();
      else this.#linger.discarded(chunk.byteLength);
    });
  }

  #refresh(): void {
    this.#cancelRefresh = this.server.options.clock.after(REFRESH_MS, () => {
      this.res.pause();
      this.res.resume();
      this.#refresh();
    });
  }

  #leave(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#cancelRefresh();
    this.server.inFlight.leave();
  }
}

function announcesBody(headers: Incoming['headers']): boolean {
  return headers.some(
    ([name, value]) => name === 'transfer-encoding' || (name === 'content-length' && Number(value) !== 0),
  );
}
