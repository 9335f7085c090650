import type { Backend } from '#native/platform.mjs';
import type { CatalogBuild, ImageReading } from '../models/index.js';
import type { EmbeddingSizes } from '../scheduler/index.js';
import type { WaveBounds } from '../wave/index.js';

/** What passes between the main thread and an engine thread, besides waves; the rest stays on its side. */

/** Given once, when the thread starts. */
export interface WorkerSetup {
  readonly backend: Backend;
  /** The device that holds the weights; '' for the CPU. */
  readonly device: string;
  readonly build: CatalogBuild;
  /** How the build reads images; where absent, its projector's file says. */
  readonly images?: ImageReading | null | undefined;
  readonly bounds: WaveBounds;
  readonly threads: number;
  /** One word of shared memory: non-zero ends the loading, or the wave under way. */
  readonly cancel: Int32Array;
}

/** Posted while the weights load: the part that is loaded, 0 to 1. */
export interface LoadProgress {
  readonly loaded: number;
}

/** What a thread tells of its model once its context is there. */
export interface Introduction {
  /** Tokens that every prompt begins with. */
  readonly head: Int32Array;
  /** How it reads images; null: it reads none. */
  readonly images: EmbeddingSizes | null;
}
