import type { Manifest } from '../../engine/index.js';
import type { FileRoom } from './rooms.js';

/** With each file, because the models may change while the threads run. */
export interface WithManifest<Task> {
  readonly task: Task;
  readonly manifest: Manifest;
}

/** A task of a file, and the room in which it is read. */
export interface InRoom<Task> {
  readonly task: Task;
  readonly room: FileRoom;
}

/** Given to the threads that read and check batch files when they start. */
export interface IngestSetup {
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
