import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterNode } from '../../support/faults/cluster.js';
import type { Random } from '../../support/random.js';
import type { SteppedTime } from './stepped-time.js';
import type { Fault } from './world.js';

const FULL_MS_MAX = 10_000;
const STALL_MS_MAX = 15_000;
const STEP_MS_MAX = 20_000;
/** Seconds of a step of the clock: up to 15 days. */
const STEPS = [3, -3, 90, -90, 3_600, -3_600, 86_400, -86_400, 1_296_000] as const;
/** Every write of the data file that is not at its very beginning fails, as on a disk that is full. */
const FULL_BYTES = '65536';

/** Faults of the disk, the clock and the log of one server. `time`: null if its clock cannot be set. */
export function folderFaults(node: ClusterNode, time: SteppedTime | null): Fault[] {
  const fault = (
    name: string,
    scope: Fault['scope'],
    weight: number,
    work: (next: Random) => Promise<unknown>,
  ): Fault => ({
    name,
    scope,
    weight,
    async cause(next) {
      await work(next);
      return { node: null };
    },
  });
  const limit = (bytes: string) =>
    spawnSync('prlimit', ['--pid', String(node.process?.pid), `--fsize=${bytes}:`]);
  const faults = [
    // A server that is stopped while the disk is full does not end with 0.
    fault('full disk', 'node', 2, async (next) => {
      limit(FULL_BYTES);
      await sleep(next.integer(FULL_MS_MAX));
      // The process may be another one meanwhile.
      limit('unlimited');
    }),
    fault('stall the log', 'database', 1, async (next) => {
      const { stderr } = node.process ?? {};
      stderr?.pause();
      await sleep(next.integer(STALL_MS_MAX));
      stderr?.resume();
    }),
  ];
  if (time === null) return faults;
  const step = fault('step the clock', 'database', 3, async (next) => {
    time.step(STEPS[next.integer(STEPS.length)] as number);
    await sleep(next.integer(STEP_MS_MAX));
    time.step(0);
    // The clock is read once a second.
    await sleep(1_500);
  });
  return [...faults, step];
}
