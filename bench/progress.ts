import { Worker } from 'node:worker_threads';

/** Given to the thread that prints. */
export interface ProgressSetup {
  /** File descriptor to print to. */
  readonly output: number;
  /** Minimum time between two lines of different steps. */
  readonly leastMs: number;
  /** Time after which a step is printed again. */
  readonly repeatMs: number;
}

/** What a benchmark does now. */
export interface ProgressStep {
  readonly step: string;
  /** Seconds until the benchmark ends; null: unknown. */
  readonly left: number | null;
}

const STANDARD_ERROR = 2;
const USUAL: ProgressSetup = { output: STANDARD_ERROR, leastMs: 2_000, repeatMs: 5_000 };

/**
 * Starts a thread that prints what is done, with the seconds since the start and those that are left. It prints at least
 * every five seconds, also while the main thread computes.
 */
export function startProgress(setup: ProgressSetup = USUAL): (step: string, left?: number | null) => void {
  const thread = new Worker(new URL('./progress-thread.js', import.meta.url), { workerData: setup });
  // Progress does not keep a benchmark alive, nor end it.
  thread.unref();
  thread.on('error', () => {});
  return (step, left = null) => thread.postMessage({ step, left } satisfies ProgressStep);
}

let report: ReturnType<typeof startProgress> | undefined;

/** Progress on standard error; standard output has results only. The thread starts with the first call. */
export const progress: ReturnType<typeof startProgress> = (step, left) => {
  report ??= startProgress();
  report(step, left);
};
