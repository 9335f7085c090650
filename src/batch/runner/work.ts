import type { Batch } from '../lifecycle/transitions.js';

/** The result of one line. */
export interface LineResult {
  /** The position of the line in the batch, from 0. */
  readonly line: number;
  /** The chunk that holds the line. */
  readonly chunk: number;
  /** False: the line was refused or given up. */
  readonly answered: boolean;
  /** The result, encrypted for its place in the table `batch_results`. */
  readonly sealed: Buffer;
}

/** Stores what the runner's lines produce. */
export interface BatchWork {
  /**
   * Stores the result of a line and the batch with its new counts, in the ledger's next transaction. The charge of an
   * answered line was posted earlier in the same turn of the event loop, and so joins the same transaction.
   */
  putResult(batch: Batch, result: LineResult): void;
  /** Resolves when everything put so far is stored. If it rejects, it is tried again. */
  flush(): Promise<void>;
}
