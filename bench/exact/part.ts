import type { Pace } from '../report.js';

/** What a part of the benchmark is given. */
export interface PartOptions {
  /** A GGUF; undefined: generated models. */
  readonly model: string | undefined;
  /** Per round. */
  readonly requests: number;
  readonly pace: Pace;
}

/** What a part of the benchmark has measured. */
export interface Measured {
  readonly title: string;
  /** A table. */
  readonly shown: string;
  /** For `--json`. */
  readonly cases: readonly unknown[];
}
