import type { Caller } from '../access/index.js';
import type { Draft, Idempotency } from './draft.js';
import type { Batch } from './lifecycle/transitions.js';

/** Where submitted batches are stored. */
export interface BatchStore {
  /**
   * Throws, or rejects with, ApiError `too_many_batches` or `batch_unavailable` if a batch of the caller would not be
   * accepted now. It is called before a file is read; `create` checks it again.
   */
  checkRoom(caller: Caller): void | Promise<void>;
  /**
   * The id of the batch that the key made from the same file under the same idempotency key; undefined if the
   * idempotency key is new. Throws, or rejects with, ApiError `idempotency_conflict` if it was used with another file.
   */
  find(key: string, idempotency: Idempotency): string | undefined | Promise<string | undefined>;
  /**
   * Stores the batch and starts it. Resolves when it is stored: with the batch, or with the id of an earlier batch that was
   * stored under the same idempotency key meanwhile. Calls `checkCurrent` of the draft before. Rejects with ApiError
   * `too_many_batches`, `batch_unavailable`, `unauthorized`, `idempotency_conflict`: nothing was stored; with
   * `outcome_unknown`: it may have been.
   */
  create(draft: Draft): Promise<Batch | string>;
}
