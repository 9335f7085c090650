import { type Clock, OperatorError } from '../../base/index.js';
import type { Certificate } from './certificate.js';
import type { ConnectionBounds } from './connection-bounds.js';

/** Header fields in the order sent: names in lower case, a repeated field once per appearance. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/**
 * Receives a request's body as it arrives. `chunk` is only valid during the call: copy what is kept. `last` is true
 * exactly once, when the body is complete; never for a truncated body.
 */
export type BodyListener = (chunk: Uint8Array, last: boolean) => void;

/** One request whose head has been read. */
export interface Incoming {
  /** As sent, case kept. */
  readonly method: string;
  /** Path and query as sent, nothing decoded. */
  readonly target: string;
  readonly headers: HeaderList;
  /** The IP address of the other end of the connection; empty if it is gone. */
  readonly peer: string;
  /**
   * Aborts with `ClientGone` when the client disconnects before its response is written. The response is then dropped,
   * and a body that was still arriving delivers no further chunk.
   */
  readonly signal: AbortSignal;
  /**
   * Starts receiving the body. Call it at most once, before the handler's first await: a body without a listener is
   * discarded.
   */
  onBody(listener: BodyListener): void;
}

/** A body that is generated while it is sent; its length is unknown. */
export interface BodyStream {
  /** Taken one by one, as the client reads. An error closes the connection. */
  readonly pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** The media type. */
  readonly type: string;
  /** Aborts when the connection must be closed, whatever is still to be sent. */
  readonly stopped?: AbortSignal;
  /** Called only when the last byte has been handed to the kernel. */
  sent(): void;
}

/**
 * A response. The transport adds `Content-Length`, `Date` and `Connection`; on `HEAD`, and with status 304, it sends the
 * length of the body without the body.
 */
export interface Reply {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string | Uint8Array | BodyStream;
  /**
   * Whether this is the last response of its connection: no further request on it reaches the handler. What the client
   * still sends is discarded, within the bounds of `Linger`, so that the client reads the response.
   */
  readonly close: boolean;
  /** With `close`: why the connection does not wait for what the client still sends. */
  readonly unread?: UnreadReason;
}

/** `unframed`: the end of the request is unknown. `overdue`: its body took too long. */
export type UnreadReason = 'unframed' | 'overdue';

/** A response with a complete body. */
export type WholeReply = Reply & { readonly body: string | Uint8Array };

/** Whether the response to a request ends with its head. */
export const isBodiless = (method: string, { status }: Reply): boolean => method === 'HEAD' || status === 304;

export const isStream = (body: Reply['body']): body is BodyStream =>
  typeof body !== 'string' && !(body instanceof Uint8Array);

/**
 * Answers one request. An error of the handler closes only the client's connection. The requests of a connection arrive
 * one at a time, each after the response to the previous one.
 */
export type Handler = (incoming: Incoming) => Promise<Reply>;

/**
 * The status for bytes that are not a request: 505 if the first line is not a method, a path and `HTTP/1.1`, 431 if the
 * header is too large, 400 otherwise.
 */
export type MalformedStatus = 400 | 431 | 505;

export interface ListenOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Null: plain HTTP. */
  readonly tls: Certificate | null;
  readonly handler: Handler;
  /** The response to malformed bytes, if the transport allows choosing it. */
  readonly refuse: (status: MalformedStatus) => WholeReply;
  /** The response to plain HTTP where TLS is expected, if the transport allows choosing it. */
  readonly refusePlain: () => WholeReply;
  /** How long a connection without a request stays open after a response, if the transport allows choosing it. */
  readonly keepAliveMs: number;
  readonly bounds: ConnectionBounds;
  readonly clock: Clock;
}

export interface Listener {
  readonly host: string;
  /** The actual port, also if 0 was requested. */
  readonly port: number;
  /**
   * Refuses new connections, waits until the requests in progress are answered, then closes every connection. May be
   * called again. There is no deadline: a request that never ends blocks it.
   */
  stop(): Promise<void>;
  /**
   * With TLS: new connections get this certificate; open ones keep theirs. Throws TlsError, with nothing changed, if the
   * library does not accept it.
   */
  renew(certificate: Certificate): void;
}

export type TransportName = 'uws' | 'node';

/** An HTTP implementation. */
export interface Transport {
  readonly name: TransportName;
  /** Rejects with `ListenError` if the address is not available, with `TlsError` if the certificate is not accepted. */
  listen(options: ListenOptions): Promise<Listener>;
}

/** The reason of `Incoming.signal`. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';

  constructor() {
    super('the client disconnected');
  }
}

/** The address is not available. */
export class ListenError extends OperatorError {
  override readonly name = 'ListenError';

  static at(host: string, port: number, why: string): ListenError {
    return new ListenError(
      `cannot listen on ${host}:${port}: ${why}. Use another address or port, or stop the program that uses this one.`,
    );
  }
}

/** Maximum bytes of request line and header fields, the same on every transport. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** Maximum number of header fields, the limit of uWebSockets.js. */
export const MAX_HEADER_FIELDS = 98;
