import { ApiError } from '../api/index.js';
import { type FairQueue, type Owner, QueueFull } from '../base/index.js';

const OWNERS = { key: 'The key has', workspace: 'The workspace has', all: 'The server has' } as const;

/**
 * Runs work in its owner's turn. Rejects with ApiError `overloaded` if the queue is full, and with the signal's reason
 * if it aborts before the turn.
 *
 * @param what the waiting work, in the plural, for the message
 */
export async function inTurn<Answer>(
  queue: FairQueue,
  owner: Owner,
  what: string,
  work: () => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  try {
    return await queue.run(owner, work, signal);
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error;
    throw new ApiError(
      'overloaded',
      `${OWNERS[error.share]} ${error.limit} ${what} waiting, which is the limit.`,
      { retryAfterSeconds: 1 },
    );
  }
}
