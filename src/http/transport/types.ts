import { type Clock, OperatorError } from '../../base/index.js';

/** Header fields in the order sent: names in lower case, a repeated field once per appearance. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/**
 * Receives a request's body as it arrives. `chunk` is only valid during the call: copy what is kept.
 * `last` is true exactly once, when the body is complete; a body cut off never gets there.
 */
export type BodyListener = (chunk: Uint8Array, last: boolean) => void;

/** One request whose head has been read. */
export interface Incoming {
  /** As sent, case kept. */
  readonly method: string;
  /** Path and query as sent, nothing decoded. */
  readonly target: string;
  readonly headers: HeaderList;
  /**
   * Aborts with a `ClientGone` when the client leaves before its answer is written. The answer is then dropped,
   * and a body that was still arriving brings no further chunk.
   */
  readonly signal: AbortSignal;
  /**
   * Starts receiving the body, at most once, and before the handler first awaits anything: what arrives while
   * nobody listens is thrown away. Not called, the body is thrown away too.
   */
  onBody(listener: BodyListener): void;
}

/** A body that is made while it is sent, of a length that nobody knows yet. */
export interface BodyStream {
  /** Taken one by one, each when the client has room for it. A throw costs the client its connection. */
  readonly pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** The media type. */
  readonly type: string;
  /** Called when the last byte was handed over, and not otherwise. */
  sent(): void;
}

/**
 * One answer. `Content-Length`, `Date` and `Connection` are the transport's; on `HEAD` it sends the length of the
 * body without the body.
 */
export interface Reply {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string | Uint8Array | BodyStream;
  /**
   * The last answer of its connection: no further request on it reaches the handler, in whatever packet it comes. What
   * the client still sends is thrown away, within the bounds of `Linger`, so that it reads the answer.
   */
  readonly close: boolean;
  /** With `close`: why what the client still sends is not waited for. */
  readonly unread?: UnreadReason;
}

/** `unframed`: where the request ends is not known. `overdue`: its body took too long. */
export type UnreadReason = 'unframed' | 'overdue';

/** One whose body is there. */
export type WholeReply = Reply & { readonly body: string | Uint8Array };

export const isStream = (body: Reply['body']): body is BodyStream =>
  typeof body !== 'string' && !(body instanceof Uint8Array);

/**
 * Answers one request. A handler that throws costs the client its connection, nothing else. The requests of a connection
 * come one at a time, each when the one before it is answered.
 */
export type Handler = (incoming: Incoming) => Promise<Reply>;

/**
 * What is answered to bytes that are no request: 505 where the first line is not a method, a path and `HTTP/1.1`,
 * 431 where the header is too large, 400 for the rest.
 */
export type MalformedStatus = 400 | 431 | 505;

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly handler: Handler;
  /** The answer to what is no request that we read, where the transport lets the answer be chosen. */
  readonly refuse: (status: MalformedStatus) => WholeReply;
  readonly clock: Clock;
}

export interface Listener {
  readonly host: string;
  /** The port in use, also where 0 was asked for. */
  readonly port: number;
  /**
   * Refuses new connections, lets the requests in progress be answered, then closes every connection. Resolves
   * when that is done; may be called again. It sets no deadline: a request that never ends holds it up.
   */
  stop(): Promise<void>;
}

export type TransportName = 'uws' | 'node';

/** A way to speak HTTP. */
export interface Transport {
  readonly name: TransportName;
  /** Rejects with a `ListenError` where the address cannot be had. */
  listen(options: ListenOptions): Promise<Listener>;
}

/** The reason of `Incoming.signal`. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';

  constructor() {
    super('the client went away');
  }
}

/** There is no address to be listened on, or nothing that could. */
export class ListenError extends OperatorError {
  override readonly name = 'ListenError';

  static at(host: string, port: number, why: string): ListenError {
    return new ListenError(`cannot listen on ${host}:${port}: ${why}`);
  }
}

/** The most bytes of request line and header fields, the same on every transport. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** The most header fields, which is what uWebSockets.js takes. */
export const MAX_HEADER_FIELDS = 98;
