import type { Door } from '../door.js';
import type { HeaderList } from '../transport/index.js';

/** A request that has passed every check of its head. */
export interface RouteCall {
  readonly door: Door;
  /** Empty where the route takes no body. */
  readonly body: Buffer;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** What a route answers with a 200: a JSON text, and headers besides the common ones. */
export interface RouteReply {
  readonly json: string;
  readonly headers?: HeaderList;
}

/** Makes a 200, or throws an `ApiError`. */
export type RouteHandler = (call: RouteCall) => RouteReply | Promise<RouteReply>;
