import type { LineAnswer } from '../batch-dependencies.js';
import type { Batch, BatchEvent } from '../lifecycle/batch-transitions.js';
import type { OpenBatch } from './open-batch.js';

/**
 * Takes open batches through their states (`TRANSITIONS`). In a data folder it stores each change; with a database it stops
 * lines and gives chunks back, and the batch changes there.
 */
export interface BatchProgress {
  /** Ends a batch whose key or window has ended. */
  applyEnds(open: OpenBatch): void;
  /** Throws ApiError `batch_finished` if the event is a cancel that comes too late. */
  apply(open: OpenBatch, event: BatchEvent): void;
  /** Finishes a batch, or the part of it that runs here, if no line is in progress and none is left to run. */
  settle(open: OpenBatch): void;
}

/** What a `BatchProgress` tells the runner. */
export interface BatchEnds {
  /** No further line of the batch may start. Its lines in progress still complete. */
  stopped(open: OpenBatch): void;
  /** The batch has finished, or no longer runs here. Frees its lines. */
  remove(open: OpenBatch): void;
}

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
  /** The answer to a task, which is kept when the result is stored; null: there is none. */
  readonly kept: LineAnswer | null;
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
