// Runs schedules of the ledger in a thread without the hooks of the test runner, which take most of the time.
import { parentPort, workerData } from 'node:worker_threads';
import { Schedule } from './ledger-schedule.js';

const STEPS = 50;
/** Steps that are shown of a schedule that went wrong. */
const SHOWN = 40;
/** Schedules at a time: they share the turns of the event loop. */
const TOGETHER = 100;

/** A schedule that went wrong. */
export interface Wrong {
  readonly seed: number;
  readonly what: string;
  readonly stack: string;
  readonly steps: readonly string[];
}

/** Runs a schedule. Returns what went wrong, or null. */
async function run(seed: number): Promise<Wrong | null> {
  const schedule = new Schedule(seed);
  try {
    await schedule.run(STEPS);
    return null;
  } catch (error) {
    const { message, stack = '' } = error as Error;
    return { seed, what: message, stack, steps: schedule.log.slice(-SHOWN) };
  }
}

const { first, count } = workerData as { readonly first: number; readonly count: number };
let wrong: Wrong | null = null;
for (let from = first; from < first + count && wrong === null; from += TOGETHER) {
  const seeds = Array.from({ length: Math.min(TOGETHER, first + count - from) }, (_, at) => from + at);
  wrong = (await Promise.all(seeds.map(run))).find((each) => each !== null) ?? null;
}
parentPort?.postMessage(wrong);
