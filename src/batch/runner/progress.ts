import type { BatchEvent } from '../lifecycle/transitions.js';
import type { OpenBatch } from './open-batch.js';

/**
 * Takes open batches through their states (`TRANSITIONS`). In a data folder it stores each change; with a database it stops
 * lines and gives chunks back, and the batch changes there.
 */
export interface Progress {
  /** Ends a batch whose key or window has ended. */
  applyEnds(open: OpenBatch): void;
  /** Throws ApiError `batch_finished` if the event is a cancel that comes too late. */
  apply(open: OpenBatch, event: BatchEvent): void;
  /** Finishes a batch, or the part of it that runs here, if no line is in progress and none is left to run. */
  settle(open: OpenBatch): void;
}

/** What a `Progress` tells the runner. */
export interface BatchEnds {
  /** No further line of the batch may start. Its lines in progress still complete. */
  stopped(open: OpenBatch): void;
  /** The batch has finished, or no longer runs here. Frees its lines. */
  remove(open: OpenBatch): void;
}
