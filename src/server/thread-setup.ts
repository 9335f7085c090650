import type { Backend } from '#native/platform.mjs';
import type { ImageReading, Manifest } from '../engine/index.js';

/** Given to a preparing thread when it starts. */
export interface PrepareSetup {
  readonly backend: Backend;
  /** The device that holds the weights of models that name none; '' for the CPU. */
  readonly device: string;
  /** As the server has read it: the file may have changed since. */
  readonly manifest: Manifest;
  /** The folder of the manifest. */
  readonly models: string;
  /** How each build reads images, by build id; for other builds it is read from the projector's file. */
  readonly images: ReadonlyMap<string, ImageReading | null>;
  /** KV cells of a context, for models that give no number: the maximum length of a prompt, whatever its model could read. */
  readonly cells: number;
}
