import { ContextState, type Sharing } from '../../src/engine/scheduler/context-state.js';
import { Scheduler } from '../../src/engine/scheduler/scheduler.js';
import { step } from '../../src/engine/scheduler/step.js';
import type { Wave } from '../../src/engine/scheduler/wave-builder.js';
import type { WaveBounds } from '../../src/engine/wave/wave-types.js';
import { Cache, type Entry } from './cache.js';
import { COLD, planOf } from './engine.js';

export const BOUNDS: WaveBounds = {
  cells: 10_000,
  waveTokens: 100,
  microBatchTokens: 100,
  microBatchTokensMin: 0,
  sequences: 64,
};

let marks = 0;
/** A plan of these numbers of tokens, which no other one shares. */
export function entry(prefix: number, suffix = 10, suffixes = 1): Entry {
  marks += 1;
  const plan = planOf(
    Int32Array.from({ length: prefix }, (_, i) => marks * 10_000 + i),
    Array.from({ length: suffixes }, (_, i) => ({
      tokens: new Int32Array(suffix).fill(marks * 100 + i),
      options: Int32Array.of(1),
    })),
  );
  return { plan, urgency: 'live', dropped: false, answers: 0 };
}

/** A scheduler with one context, and what plays its waves. */
export function setUp(sharing: Sharing = COLD) {
  const scheduler = new Scheduler<Entry>({ queueMax: 100 });
  const state = new ContextState<Entry>(BOUNDS, sharing);
  const cache = new Cache(BOUNDS);
  /** Plays the next wave; returns the entries it answers. */
  const next = (): Entry[] => {
    const done = step(scheduler, state, (task) => cache.play(task).map(() => Float32Array.of(0)));
    return (done ?? []).map((answer) => answer.entry);
  };
  return { scheduler, next, state, cache };
}

/** Fills waves until nothing is left to do. */
export function wavesOf(scheduler: Scheduler<Entry>, state: ContextState<Entry>): Array<Wave<Entry>> {
  const waves: Array<Wave<Entry>> = [];
  for (let wave = scheduler.fill(state); wave !== null; wave = scheduler.fill(state)) waves.push(wave);
  return waves;
}
