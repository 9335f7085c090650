// Runs schedules of the ledger in a thread without the hooks of the test runner, which take most of the time.
import { parentPort, workerData } from 'node:worker_threads';
import { Schedule } from './ledger-schedule.js';

const STEPS = 50;
/** Steps that are shown of a schedule that went wrong. */
const SHOWN = 40;
/** Schedules at a time: they share the turns of the event loop. */
const TOGETHER = 100;

/** Runs a schedule. Returns what went wrong, or null. */
async function run(seed: number): Promise<string | null> {
  const schedule = new Schedule(seed);
  try {
    await schedule.run(STEPS);
    return null;
  } catch (error) {
    return [...schedule.log.slice(-SHOWN), `TEST_SEED=${seed}`, (error as Error).stack].join('\n');
  }
}

const { first, count } = workerData as { readonly first: number; readonly count: number };
let wrong: string | null = null;
for (let from = first; from < first + count && wrong === null; from += TOGETHER) {
  const seeds = Array.from({ length: Math.min(TOGETHER, first + count - from) }, (_, at) => from + at);
  wrong = (await Promise.all(seeds.map(run))).find((each) => each !== null) ?? null;
}
parentPort?.postMessage(wrong);
