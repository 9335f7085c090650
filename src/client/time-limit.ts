import { TIMER_MS_MAX } from './number-options.js';

/** For a request to arrive, and for its response. */
const TRANSFER_MS = 90_000;
/** Of the server's engine (`engine.deadline_ms` by default), which has it once for every so many prompts of a request. */
const ENGINE_MS = 60_000;
const PROMPTS_AT_ONCE = 16;

/**
 * The time in which a server answers or refuses a call, unless it is configured to take longer, in milliseconds.
 *
 * @param prompts those of the call at most: questions, once for each order of their options
 */
export function usualTimeLimit(prompts: number): number {
  const limits = Math.max(1, Math.ceil(prompts / PROMPTS_AT_ONCE) || 1);
  return Math.min(TRANSFER_MS + ENGINE_MS * limits, TIMER_MS_MAX);
}
