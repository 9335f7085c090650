import type { Manifest } from '../engine/index.js';

/** What the thread that takes batch files in starts with. */
export interface IngestSetup {
  /** As the server read it: the file may have changed since. */
  readonly manifest: Manifest;
  /** The folder of the models. */
  readonly models: string;
  /** Threads that check a large file together with it. */
  readonly helpers: number;
  /** Files that are read at one time. */
  readonly filesAtOnce: number;
}

/**
 * For every thread that checks a file: with Node's own default the garbage of two threads takes as much memory as
 * another 30 MB file, and checking is not quicker.
 */
export const YOUNG_MEBIBYTES = 8;
