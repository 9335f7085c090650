import type { ContentEncoding } from '../api/index.js';
import type { SentRequest } from '../decide/index.js';

/** A model of the list (contract 2.8). */
export interface ModelListEntry {
  readonly id: string;
  readonly ownedBy: string;
  readonly description: string;
  /** ISO 8601 date. */
  readonly releaseDate: string | null;
  /** The most options of a question, of which a route may allow fewer; null: the model is not loaded. */
  readonly maxOptions: number | null;
  readonly readsImages: boolean;
  /** The most tokens of a prompt; null: the model is not loaded. */
  readonly contextTokens: number | null;
  /** What the model was trained for, if that is narrow; null: for anything. */
  readonly domain: string | null;
}

/** Milliseconds by name of the phase, in the order of the phases. */
export type Phases = Readonly<Record<string, number>>;

/** What is known of an answered decision besides its answer. */
export interface DecisionFacts {
  /** The build that answered. */
  readonly build: string;
  /** How long the phases took. */
  readonly timing: Phases;
  /** When phases began, on the monotonic clock. A phase without a beginning follows the one before it. */
  readonly begun?: Phases;
}

/** A decision and its timing. */
export interface DecideReply extends DecisionFacts {
  /** The JSON text of contract 2.4. */
  readonly json: string;
  /** Whether it has the answer of an equal request. Default: false. */
  readonly isShared?: boolean;
}

/** A batch file as sent. */
interface SentFile {
  /** Its memory may be reused once the submission settles. */
  readonly body: Buffer;
  readonly encoding: ContentEncoding;
  /** Every `Service-Webhook-Url` header. */
  readonly webhook: readonly string[];
  /** Every `Idempotency-Key` header. */
  readonly idempotencyKey: readonly string[];
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** The results of a batch. */
export interface Results {
  /** JSON Lines, in pieces. */
  readonly pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Called when the last byte has been sent. */
  collected(): void;
}

/** A page of the list of batches. */
export interface ListPage {
  /** Maximum number; null: all. */
  readonly limit: number | null;
  /** The id of the batch that precedes the page; null: the page starts with the oldest. */
  readonly after: string | null;
}

/** The batch interface for one caller. Results are the JSON of contract 2.6. */
export interface BatchApp {
  /** Rejects with the signal's reason if it aborts before the file is checked. */
  submit(file: SentFile): Promise<object>;
  /** A list as JSON, or pieces of one. */
  list(page: ListPage): Promise<string | AsyncIterable<Uint8Array>>;
  show(id: string): object | Promise<object>;
  results(id: string): Promise<Results>;
  cancel(id: string): Promise<object>;
}

/** The body of a call about a task as sent. */
export interface SentTask {
  /** Its memory may be reused once the call settles. */
  readonly body: Buffer;
  readonly encoding: ContentEncoding;
}

/** The tasks of one caller's workspace. Results are the JSON of contract 4.11, or what becomes it. */
export interface TaskApp {
  put(name: string, task: SentTask, signal: AbortSignal): Promise<string>;
  list(): Promise<object>;
  show(name: string): Promise<string>;
  /**
   * Like `Authorized.decide`, for a request whose questions are those of the task.
   *
   * @param model the model that the endpoint serves now: while the task is read, the models may change
   * @param requestId its `X-Request-Id`
   */
  decide(
    name: string,
    request: Omit<SentRequest, 'model'>,
    model: () => string | null,
    requestId: string,
    signal: AbortSignal,
  ): Promise<DecideReply>;
  remove(name: string): Promise<object>;
  fit(name: string, signal: AbortSignal): Promise<string>;
  /** Makes the shadow build the model of the task. */
  promote(name: string, expected: SentTask, signal: AbortSignal): Promise<string>;
  /** Labels as JSON Lines. */
  label(name: string, labels: SentTask, signal: AbortSignal): Promise<object>;
}

/** The limits of a key per minute, and what is left of them. */
export interface Rates {
  readonly limit: { readonly requests: number; readonly bytes: number };
  readonly left: { readonly requests: number; readonly bytes: number };
  /** Milliseconds until nothing is used any more, if no further request comes. */
  readonly resetMs: number;
}

/** An authenticated caller. */
export interface Authorized {
  readonly keyId: string;
  readonly workspaceId: string;
  /** The day on which the key expires, ISO 8601, or `never`. */
  readonly keyExpires: string;
  /** The ids of the models that the caller may use; null: all. */
  readonly allowedModels: readonly string[] | null;
  /** Counts a request with a body of `bytes` bytes. Throws ApiError if the key is paused or over its limits. */
  admit(bytes: number): void;
  /** Counts a request that a paused key may make too. Throws ApiError if the key is over its limits. */
  admitFree(bytes: number): void;
  /** The limits per minute and what is left of them now, for `X-RateLimit-…`. */
  rates(): Rates;
  /** The JSON of contract 2.11. `only`: the one model of the endpoint; null: it serves all. */
  limits(only: string | null): object | Promise<object>;
  /** The JSON of contract 2.12, for the last `days` days. */
  usage(days: number): Promise<object>;
  /** The body's memory may be reused once this settles. Rejects with the signal's reason if it aborts. */
  decide(request: SentRequest, signal: AbortSignal): Promise<DecideReply>;
  readonly tasks: TaskApp;
  /** Null if this server has no batch interface. Throws ApiError `model_unavailable` until it is ready. */
  readonly batches: BatchApp | null;
}

/** The service interface behind HTTP. A refused request is an `ApiError`. */
export interface App {
  /**
   * Throws ApiError `model_unavailable` until the models are loaded, while a model cannot compute and while the server stops;
   * `overloaded` while accounts cannot be read or charges be written.
   *
   * @param model the one model to look at; null: all
   */
  checkReady(model: string | null): void;
  /** Authenticates the caller by all `Authorization` headers of a request. Throws ApiError `unauthorized`, `overloaded`. */
  authorize(headers: readonly string[]): Authorized;
  /** Whether an endpoint serves a model. `only`: the one model of the endpoint; null: it serves all. */
  serves(model: string, only: string | null): boolean;
  /** All models, or the one with this id. */
  models(model: string | null): readonly ModelListEntry[];
}
