import type { Clock } from '../base/index.js';
import { NotComputed } from '../engine/index.js';

/** Milliseconds until a request that was not computed is tried again. */
export const LANELESS_WAIT_MS = 1_000;

/**
 * Computes a request, however long no lane of its model works. Rejects with any error of an attempt but NotComputed.
 *
 * @param attempt makes one attempt; `alone`: a wave with the request has failed, so that no other may be in its waves
 */
export async function untilComputed<Result>(
  clock: Pick<Clock, 'after'>,
  attempt: (alone: boolean) => Promise<Result>,
): Promise<Result> {
  let alone = false;
  for (;;) {
    try {
      return await attempt(alone);
    } catch (error) {
      if (!(error instanceof NotComputed)) throw error;
      alone ||= error.hasFailed;
      await new Promise<void>((resolve) => clock.after(LANELESS_WAIT_MS, resolve));
    }
  }
}
