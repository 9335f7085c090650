import type { Content, ContentEncoding } from '../api/index.js';

/** One decide request as it came in: nothing of the body has been looked at. */
export interface DecideCall {
  /** Its memory may become another call's when this one is answered, also with an error. */
  readonly body: Buffer;
  /** The model that the path or the endpoint pins; null where the body names it. */
  readonly model: string | null;
  /** How it is compressed, and what it is when it is not. */
  readonly content: Content;
  /** What becomes of a `model` that is not served: an error (contract 4.1), or the default model (contract 4.2). */
  readonly unknownModel: 'refuse' | 'default';
  readonly requestId: string;
  /** Aborts when the client has gone and the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

/** A model as the list of contract 2.8 shows it. */
export interface ModelListEntry {
  readonly id: string;
  readonly ownedBy: string;
  readonly description: string;
  /** ISO 8601 date. */
  readonly releaseDate: string | null;
}

/** A decision's answer and where its time went. */
export interface DecideReply {
  /** The JSON text of contract 2.4. */
  readonly json: string;
  /** Milliseconds by name, for `Server-Timing`. */
  readonly timing: Readonly<Record<string, number>>;
}

/** A batch file as it came in. */
export interface SubmitCall {
  /** Its memory may become another call's when this one is answered, also with an error. */
  readonly body: Buffer;
  readonly encoding: ContentEncoding;
  /** Every `Service-Webhook-Url` there is. */
  readonly webhook: readonly string[];
  /** Every `Idempotency-Key` there is. */
  readonly idempotencyKey: readonly string[];
}

/** Results on their way to a caller. */
export interface Results {
  /** JSON Lines, in pieces. */
  readonly pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Called when the last byte was handed over. */
  collected(): void;
}

/** Which batches are to be listed. */
export interface ListPage {
  /** Most that are; null: all. */
  readonly limit: number | null;
  /** The id of the batch behind which they stand; null: from the oldest on. */
  readonly after: string | null;
}

/** The batch interface for one caller. What it answers is JSON of contract 2.6. */
export interface BatchApp {
  submit(call: SubmitCall): Promise<object>;
  /** A list as JSON, or pieces of one. */
  list(page: ListPage): Promise<string | AsyncIterable<Uint8Array>>;
  show(id: string): object;
  results(id: string): Promise<Results>;
  cancel(id: string): Promise<object>;
}

/** A caller whose token was accepted, and what only such a one may do. */
export interface Authorized {
  readonly keyId: string;
  readonly workspaceId: string;
  /** The day on which the key ends, ISO 8601, or `never`. */
  readonly keyExpires: string;
  /** Counts a request with a body of so many bytes. Throws an `ApiError` where the key is paused or over its limits. */
  admit(bytes: number): void;
  /** Counts a request that costs nothing. Throws an `ApiError` where the key is over its limits. */
  admitFree(bytes: number): void;
  decide(call: DecideCall): Promise<DecideReply>;
  /** Null where this server has no batch interface. Throws an `ApiError` `model_unavailable` until it can answer. */
  readonly batches: BatchApp | null;
}

/** All that the HTTP side knows of the rest of the program. What is wrong with a request comes as an `ApiError`. */
export interface App {
  /** Throws an `ApiError` `model_unavailable` until requests can be answered. */
  checkReady(): void;
  /** Who sent these `Authorization` headers, all there are. Throws an `ApiError` `unauthorized`. */
  authorize(headers: readonly string[]): Authorized;
  /** Whether a model of this id is served at an endpoint: one where only `only` answers; null: one that serves all. */
  serves(model: string, only: string | null): boolean;
  /** All models; or the one of this id. */
  models(model: string | null): readonly ModelListEntry[];
}
