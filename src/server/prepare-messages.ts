import type { Backend } from '#native/platform.mjs';

/** Given to a preparing thread when it starts. */
export interface PrepareSetup {
  readonly backend: Backend;
  /** The device that holds the weights; '' for the CPU. */
  readonly device: string;
  /** The folder of the manifest. */
  readonly models: string;
  /** KV cells of a context: no prompt is longer, whatever its model could read. */
  readonly cells: number;
}
