import type { Backend } from '#native/platform.mjs';
import type { ImageReading, Manifest } from '../engine/index.js';

/** Given to a preparing thread when it starts. */
export interface PrepareSetup {
  readonly backend: Backend;
  /** The device that holds the weights; '' for the CPU. */
  readonly device: string;
  /** As the server read it: the file may have changed since. */
  readonly manifest: Manifest;
  /** The folder of the manifest. */
  readonly models: string;
  /** How each build reads images, by its id; of those that are not in it the projector's file says. */
  readonly images: ReadonlyMap<string, ImageReading | null>;
  /** KV cells of a context: no prompt is longer, whatever its model could read. */
  readonly cells: number;
}
