import type { Caller } from '../access/index.js';
import type { BatchState } from '../api/index.js';
import type { Batch } from './lifecycle/batch-transitions.js';
import type { Submission } from './submit.js';

/** Which batches to list. */
export interface Page {
  /** Maximum number of batches listed. Null: all. */
  readonly limit: number | null;
  /** The id of the batch after which the page begins. Null: it begins with the oldest. */
  readonly after: string | null;
}

/** The results of a batch, for download. */
export interface ResultStream {
  /** JSON Lines. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Call it when the last byte was sent. The first call starts the seven days until deletion. */
  collected(): void;
}

/** The batch interface (contract 4.6), for authenticated callers. */
export interface BatchInterface {
  /** Continues what an earlier process left open. Rejects with StoreError, DatabaseUnavailable. */
  start(): Promise<void>;
  /** Resolves with the response to a submission (contract 2.6). Rejects with ApiError. */
  submit(caller: Caller, submission: Submission): Promise<object>;
  /**
   * The list of contract 2.6 as JSON, with `has_more` if the page has a limit: a string if it fits in one piece, else
   * pieces that are read as they are consumed. Rejects with ApiError `invalid_request`.
   */
  list(caller: Caller, page: Page): Promise<string | AsyncIterable<Uint8Array>>;
  /** Throws or rejects with ApiError `batch_not_found`. */
  show(caller: Caller, id: string): object | Promise<object>;
  /** Resolves when the cancel is stored. Rejects with ApiError `batch_not_found`, `batch_finished`, `outcome_unknown`. */
  cancel(caller: Caller, id: string): Promise<object>;
  /** The same for the batch of any key. If it changes the batch, the audit log names `actor`, in the same transaction. */
  cancelAny(id: string, actor: string): Promise<Batch>;
  /** Rejects with ApiError `batch_not_found`, `batch_not_finished`. */
  results(caller: Caller, id: string): Promise<ResultStream>;
  /** How many batches are open. */
  readonly openCount: number;
  /** The models and builds that open batches name, including batches that are being stored. */
  readonly openModels: readonly string[];
  /** How many open batches name each model or build. */
  readonly openByModel: ReadonlyMap<string, number>;
  /** How many open batches are in each state. */
  readonly openStates: Readonly<Partial<Record<BatchState, number>>>;
  /** Call it when other models are loaded. */
  modelsChanged(): void;
  /** Call it when the calendar has jumped by `ms`. Resolves when every stored time has moved. */
  moveTimes(ms: number): Promise<void>;
  /**
   * Drops the lines in progress, at once; they run again later. Resolves when the webhook calls in progress have ended and
   * only the last flush is left to write.
   */
  stop(): Promise<void>;
}
