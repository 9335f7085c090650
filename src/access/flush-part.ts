import type { RawWrite } from '../store/index.js';

/** Writes on their way to the disk: one of `written` and `lost` is called, once. */
export interface TakenWrites {
  readonly writes: readonly RawWrite[];
  /** They are on the disk. `today`: the UTC day. */
  written(today: string): void;
  /** They are not: they must be among what is taken next. */
  lost(): void;
}

/** Something that is written with the charges, in the ledger's transaction: all of it, or none. */
export interface FlushPart {
  /** All that has changed since it was taken last. */
  take(): TakenWrites;
}
