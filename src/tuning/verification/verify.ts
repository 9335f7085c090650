import type { Clock } from '../../base/index.js';
import type { Candidate } from '../choice/choose.js';
import type { EngineChoice, SimulatedMachine } from '../choice/engine-choice.js';
import { scoreOf } from '../choice/goal-score.js';
import type { Workload } from '../choice/workload.js';
import { type OpenEngine, type RunningEngine, runGroups, runWorkload } from './run-workloads.js';
import { predictShape, type VerifiedShape } from './shapes-to-verify.js';

/** A candidate that ran for real. */
export interface Verified {
  readonly choice: EngineChoice;
  /** Milliseconds, simulated: see `scoreOf`. */
  readonly predicted: number;
  /** The same, measured, by round. */
  readonly measured: readonly number[];
  readonly shapes: readonly VerifiedTimes[];
  /** Why it could not run; null if it ran. */
  readonly failure: string | null;
}

/** What a shape took, in milliseconds. */
export interface VerifiedTimes {
  readonly title: string;
  readonly predicted: number;
  /** By round. */
  readonly measured: readonly number[];
}

interface Verification {
  readonly workload: Workload;
  readonly shapes: readonly VerifiedShape[];
  readonly machine: SimulatedMachine;
  readonly open: OpenEngine;
  readonly clock: Clock;
  /** No round begins after so many milliseconds, but there are at least two. */
  readonly ms: number;
}

const ROUNDS_MIN = 2;
const ROUNDS_MAX = 7;

/** Runs the workload and the shapes with each candidate, in rounds in which all take turns, on new contexts each time. */
export async function verify(
  candidates: readonly Candidate[],
  verification: Verification,
): Promise<Verified[]> {
  const { shapes, machine, clock, ms } = verification;
  const end = clock.monotonic() + ms;
  const found = candidates.map(({ choice, predicted }) => ({
    choice,
    predicted,
    measured: [] as number[],
    shapes: shapes.map((shape) => ({
      title: shape.title,
      predicted: predictShape(shape, choice, machine),
      measured: [] as number[],
    })),
    failure: null as string | null,
  }));
  for (let round = 0; round < ROUNDS_MAX; round++) {
    if (round >= ROUNDS_MIN && clock.monotonic() >= end) break;
    for (const one of found.filter(({ failure }) => failure === null)) {
      try {
        const took = await measureOnce(one.choice, verification);
        one.measured.push(took.score);
        took.shapes.forEach((time, index) => {
          one.shapes[index]?.measured.push(time);
        });
      } catch (error) {
        one.failure = (error as Error).message;
      }
    }
  }
  return found;
}

async function measureOnce(choice: EngineChoice, { workload, shapes, open, clock }: Verification) {
  let engine: RunningEngine = await open(choice);
  try {
    const times: number[] = [];
    for (const { groups } of shapes) times.push(await runGroups(groups, engine, clock));
    // On contexts without the prefixes of the shapes.
    await engine.close();
    engine = await open(choice);
    return { shapes: times, score: scoreOf(workload.goal, await runWorkload(workload, engine, clock)) };
  } finally {
    await engine.close();
  }
}
