import type { Clock } from '../../base/index.js';

/** The limit until a wave has been measured: kernels may be compiled for minutes, and the speed is unknown. */
const FIRST_MS_BASE = 600_000;
const FIRST_MS_PER_TOKEN = 1_000;
/** The limit afterwards: a base, plus this many times the usual time of the tokens. */
const MS_BASE = 60_000;
const SLOWER_MAX = 10;
/** A thread that starts opens its context; the weights are in memory. */
export const START_MS_MAX = 600_000;

/**
 * The time limit of a wave in milliseconds. A wave that exceeds it is assumed never to end.
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
export function afterRunning(clock: Pick<Clock, 'after'>, ms: number, callback: () => void): () => void {
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
