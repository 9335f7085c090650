import type { Backend } from '#native/platform.mjs';
import type { CatalogBuild } from '../models/index.js';
import type { Plan, PlanLogits, WaveBounds } from '../wave/index.js';

/** What passes between the main thread and an engine thread; everything else stays on its side. */

/** Given once, when the thread starts. */
export interface WorkerSetup {
  readonly backend: Backend;
  /** The device that holds the weights; '' for the CPU. */
  readonly device: string;
  readonly build: CatalogBuild;
  readonly bounds: WaveBounds;
  readonly threads: number;
  /** One word of shared memory: non-zero ends the wave under way. */
  readonly cancel: Int32Array;
}

export interface WaveTask {
  readonly plans: readonly Plan[];
}

export type WaveResult = readonly PlanLogits[];

/** Posted while the weights load: the part that is loaded, 0 to 1. */
export interface LoadProgress {
  readonly loaded: number;
}
