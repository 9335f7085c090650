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

/** A thread that prints. */
interface Progress {
  /** `left`: seconds until the benchmark ends. */
  report(step: string, left?: number | null): void;
  /** Resolves when the thread writes no more; only then may the file descriptor be closed. */
  close(): Promise<void>;
}

/**
 * Starts a thread that prints what is done, with the seconds since the start and those that are left. It prints at least
 * every five seconds, also while the main thread computes.
 */
export function startProgress(setup: ProgressSetup = USUAL): Progress {
  const thread = new Worker(new URL('./progress-thread.js', import.meta.url), { workerData: setup });
  // Progress does not keep a benchmark alive, nor end it.
  thread.unref();
  thread.on('error', () => {});
  return {
    report: (step, left = null) => thread.postMessage({ step, left } satisfies ProgressStep),
    close: async () => void (await thread.terminate()),
  };
}

let printer: Progress | undefined;

/** Progress on standard error; standard output has results only. The thread starts with the first call. */
export const progress: Progress['report'] = (step, left) => {
  printer ??= startProgress();
  printer.report(step, left);
};
