import type { Door } from '../door.js';

/** A request that has passed every check of its head. */
export interface RouteCall {
  readonly door: Door;
  /** Empty where the route takes no body. */
  readonly body: Buffer;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** Makes the JSON text of a 200, or throws an `ApiError`. */
export type RouteHandler = (call: RouteCall) => string | Promise<string>;
