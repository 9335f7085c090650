/** A decide request, ready to be sent. */
export interface LoadRequest {
  /** What kind of request it is: latencies are also reported by kind. */
  readonly shape: string;
  readonly body: Buffer;
}

/** An endless series of requests. */
export interface RequestSource {
  next(): LoadRequest;
}

/** The end of a request. */
export type Outcome =
  | { readonly answered: true; readonly decisions: number; readonly inputTokens: number }
  /** `status`: null without a response. `type`: the `type` of the error body, or the code of the connection's error. */
  | { readonly answered: false; readonly status: number | null; readonly type: string };

/** Sends a request. Resolves also for errors of the server and the connection; may reject once `signal` is aborted. */
export type Send = (request: LoadRequest, signal: AbortSignal) => Promise<Outcome>;
