import type { Clock } from '../../base/index.js';
import type { Plan } from '../../engine/index.js';
import type { EngineChoice } from '../choice/engine-choice.js';
import type { Took } from '../choice/goal-score.js';
import type { Workload } from '../choice/workload.js';

/** An engine with the settings of a choice; its contexts have computed their first waves. */
export interface RunningEngine {
  run(plan: Plan): Promise<unknown>;
  close(): Promise<void>;
}

/** Opens an engine; a parameter, so that tests can replace it. Rejects if it does not start, such as without memory. */
export type OpenEngine = (choice: EngineChoice) => Promise<RunningEngine>;

/** Runs the requests of a workload at their times, whether or not earlier ones are answered. */
export async function runWorkload(
  { plans, times }: Workload,
  engine: RunningEngine,
  clock: Clock,
): Promise<Took> {
  const start = clock.monotonic();
  const latencies = await Promise.all(
    plans.map(async (plan, index) => {
      const due = start + (times[index] as number);
      if (due > clock.monotonic()) await pause(due - clock.monotonic(), clock);
      await engine.run(plan);
      return clock.monotonic() - due;
    }),
  );
  return { latencies, ms: clock.monotonic() - start };
}

const pause = (ms: number, clock: Clock) => {
  // Otherwise the process would end: the timers of a clock do not keep it alive.
  const alive = setInterval(() => {}, 2 ** 30);
  return new Promise<void>((resolve) => clock.after(ms, resolve)).finally(() => clearInterval(alive));
};

/** Runs groups of plans, each together and after the one before; returns milliseconds. */
export async function runGroups(
  groups: readonly (readonly Plan[])[],
  engine: RunningEngine,
  clock: Clock,
): Promise<number> {
  const start = clock.monotonic();
  for (const plans of groups) await Promise.all(plans.map((plan) => engine.run(plan)));
  return clock.monotonic() - start;
}
