import type { BatchState } from '../api/index.js';
import type { Batch } from './lifecycle/batch-transitions.js';

/** Which batches to list. */
export interface BatchFilter {
  readonly state?: BatchState | undefined;
  readonly workspace?: string | undefined;
  readonly limit: number;
}

/** Batches, newest first, and whether there are more. */
export interface NewestBatches {
  readonly batches: readonly Batch[];
  readonly more: boolean;
}
