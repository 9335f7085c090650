import type { Clock } from '../../base/index.js';

/** Until a wave has been measured: kernels may be compiled for minutes, and nothing is known of the device. */
const FIRST_MS_BASE = 600_000;
const FIRST_MS_PER_TOKEN = 1_000;
/** Afterwards: time for what does not depend on the tokens, and many times what they usually take. */
const MS_BASE = 60_000;
const SLOWER_MAX = 10;
/** A thread that starts opens its context; the weights are in memory. */
export const START_MS_MAX = 600_000;

/**
 * The time after which a wave is taken for one that never ends, in milliseconds.
 *
 * @param tokens of the wave, with what encoding its images costs
 * @param msPerToken of recent waves; null if none has been measured
 */
export function waveLimitMs(tokens: number, msPerToken: number | null): number {
  if (msPerToken === null) return FIRST_MS_BASE + tokens * FIRST_MS_PER_TOKEN;
  return MS_BASE + tokens * msPerToken * SLOWER_MAX;
}

const STEPS = 20;

/**
 * Calls back when this process has run for `ms`. Time in which it was stopped, or its machine suspended, counts as a
 * twentieth of that at most. Returns a function that cancels it.
 */
export function afterRunning(clock: Clock, ms: number, callback: () => void): () => void {
  let steps = 0;
  let cancel = () => {};
  const next = () => {
    steps += 1;
    if (steps > STEPS) callback();
    else cancel = clock.after(ms / STEPS, next);
  };
  next();
  return () => cancel();
}
