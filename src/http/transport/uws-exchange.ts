import type { InFlight } from './in-flight.js';
import { Linger } from './linger.js';
import type { ReplyEnds } from './send-pace.js';
import {
  type BodyListener,
  type BodyStream,
  ClientGone,
  type Incoming,
  isBodiless,
  isStream,
  type ListenOptions,
  type Reply,
} from './transport-types.js';
import { refuseAtOnce, writeLastReply } from './uws-last.js';
import type { UwsResponse } from './uws-library.js';
import { writeUwsReply, writeUwsStream } from './uws-reply.js';

/** Less than the 8 seconds after which the library may drop a body without progress. */
const REFRESH_MS = 4_000;

/** State that the requests of a server share. */
export interface ServerState {
  readonly options: ListenOptions;
  readonly inFlight: InFlight;
  stopping: boolean;
}

/** One request, and the only user of its response object. */
export class UwsExchange {
  readonly #gone = new AbortController();
  readonly signal = this.#gone.signal;
  /** No response has been written, and the client is connected. */
  #open = true;
  /** The response object must not be used: the connection is closed, or a response other than the last is written. */
  #dead = false;
  #closing = false;
  #listening = false;
  #bodyOver = false;
  #linger: Linger | null = null;
  #cancelRefresh: () => void = () => {};
  readonly #holder = { close: () => this.cut() };

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

  /** Counts `requestBytes` of the request until its response has ended. */
  hold(bytes: number): void {
    this.server.options.bounds.requests.take(this.#holder, bytes);
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
    const head = isBodiless(method, reply);
    const { body } = reply;
    // The library never closes a connection if a listener sees the end of a body after the response.
    const amidBody = this.#listening && !this.#bodyOver;
    const finish = () => this.#finish();
    if (reply.close || this.server.stopping || amidBody)
      await this.#writeLast(reply, head, announcesBody(headers));
    else if (!isStream(body)) writeUwsReply(this.res, reply, body, head, this.#ends(finish));
    else if (await this.#writeStream(reply, body, head)) finish();
  }

  /** Closes the connection without a response. */
  cut(): void {
    if (this.#open) this.#close();
  }

  /** After the parser has finished the packet: its remainder could close the connection with the response unsent. */
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
    const { stopped } = body;
    if (stopped?.aborted) {
      this.cut();
      return Promise.resolve(false);
    }
    stopped?.addEventListener('abort', () => this.cut(), { once: true });
    return writeUwsStream(this.res, reply, body, head, this.signal, this.server.options.clock);
  }

  #ends(done: () => void): ReplyEnds {
    return { clock: this.server.options.clock, done, drop: () => this.cut() };
  }

  /** The kernel has the whole last response: closes the connection when the client has finished sending. */
  #endConnection(lingers: boolean): void {
    this.#leave();
    if (this.#bodyOver || !lingers) this.#close();
    else this.#linger = new Linger(this.server.options.clock, () => this.#close());
  }

  /** Not within a callback of the library: after one for a chunk it would call the next one, on freed memory. */
  #close(): void {
    this.#closing = true;
    setImmediate(() => {
      if (!this.#dead) this.res.close();
    });
  }

  /** A response other than the last is written: the response object may belong to another request. */
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
    this.server.options.bounds.requests.free(this.#holder);
    this.server.inFlight.leave();
  }
}

function announcesBody(headers: Incoming['headers']): boolean {
  return headers.some(
    ([name, value]) => name === 'transfer-encoding' || (name === 'content-length' && Number(value) !== 0),
  );
}
