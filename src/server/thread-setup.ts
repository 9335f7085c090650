import type { Backend } from '#native/platform.mjs';
import type { ImageReading, Manifest } from '../engine/index.js';

/** Given to a preparing thread when it starts. */
export interface PrepareSetup {
  readonly backend: Backend;
  /** The device that holds the weights; '' for the CPU. */
  readonly device: string;
  /** As the server read it at its start: the file may have changed since. */
  readonly manifest: Manifest;
  /** The folder of the manifest. */
  readonly models: string;
  /** How each build reads images, by build id; for other builds the projector's file tells. */
  readonly images: ReadonlyMap<string, ImageReading | null>;
  /** KV cells of a context: the maximum length of a prompt, whatever its model could read. */
  readonly cells: number;
}

/** Given to the threads that read and check batch files when they start. */
export interface IngestSetup {
  /** As the server read it at its start: the file may have changed since. */
  readonly manifest: Manifest;
  /** The folder of the models. */
  readonly models: string;
  /** Threads that help to check a large file. */
  readonly helpers: number;
  /** Files that are read concurrently. */
  readonly filesAtOnce: number;
}

/**
 * Young generation of every thread that checks a file, in MiB. With Node's default, the garbage of two threads takes as
 * much memory as another 30 MB file, and checking is not faster.
 */
export const YOUNG_MEBIBYTES = 8;
