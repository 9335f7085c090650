import type { Content, ContentEncoding } from '../../api/index.js';
import type { App, Authorized, BatchApp } from '../app.js';
import type { BodyStream, HeaderList } from '../transport/index.js';

/** A request that has passed every check of its head. */
export interface RouteCall {
  /** The model that the path or the endpoint pins; null where there is none. */
  readonly model: string | null;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** One with a token and a body. */
export interface AuthorizedCall extends RouteCall {
  readonly caller: Authorized;
  readonly body: Buffer;
  readonly content: Content;
}

/** One with a token and no body. */
export interface BatchCall extends RouteCall {
  readonly batches: BatchApp;
  /** As in the path; '' where that has none. */
  readonly id: string;
  /** What follows the path's question mark. */
  readonly query: URLSearchParams;
}

/** One with a batch file. */
export interface SubmitBatchCall extends BatchCall {
  readonly body: Buffer;
  readonly encoding: ContentEncoding;
  readonly headers: HeaderList;
}

/** One that takes neither. */
export interface OpenCall extends RouteCall {
  readonly app: App;
}

/** What a route answers with a 200: a JSON text or a stream, and headers besides the common ones. */
export interface RouteReply {
  readonly body: string | BodyStream;
  readonly headers?: HeaderList;
}

/** Makes a 200, or throws an `ApiError`. */
export type Handle<Call extends RouteCall> = (call: Call) => RouteReply | Promise<RouteReply>;
