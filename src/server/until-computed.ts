import { type Clock, OperatorError } from '../base/index.js';
import { NotComputed } from '../engine/index.js';

/** Milliseconds until a request that was not computed is tried again. */
export const LANELESS_WAIT_MS = 1_000;

/**
 * Computes a request, however long no lane of its model works. Rejects with any error of an attempt but NotComputed, and
 * with what `beforeWait` throws.
 *
 * @param attempt makes one attempt; `alone`: a wave with the request has failed, so that no other may be in its waves
 * @param beforeWait called when an attempt was not computed
 */
export async function untilComputed<Result>(
  clock: Pick<Clock, 'after'>,
  attempt: (alone: boolean) => Promise<Result>,
  beforeWait: () => void,
): Promise<Result> {
  let alone = false;
  for (;;) {
    try {
      return await attempt(alone);
    } catch (error) {
      if (!(error instanceof NotComputed)) throw error;
      alone ||= error.hasFailed;
      beforeWait();
      await new Promise<void>((resolve) => clock.after(LANELESS_WAIT_MS, resolve));
    }
  }
}

/**
 * A `beforeWait` for all requests of a process: the first call reports that requests wait, and every call throws
 * OperatorError if a lane never works again, because only a new process could compute them.
 *
 * @param stuckReason why a lane never works again; null: none is stuck
 */
export function waitForLane(
  stuckReason: () => string | null,
  notice: (sentence: string) => void,
): () => void {
  let isReported = false;
  return () => {
    const reason = stuckReason();
    if (reason !== null) throw new OperatorError(`An engine thread will never work again: ${reason}.`);
    if (!isReported) notice('No engine thread works. They are started again; requests wait until one works.');
    isReported = true;
  };
}
