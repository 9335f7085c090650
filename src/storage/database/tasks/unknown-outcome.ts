import { ApiError } from '../../../api/index.js';
import { orCannotRead } from '../batches/unavailable.js';
import { CommitUnknown } from '../postgres/database-errors.js';

/**
 * Runs `work`, which changes a task. Rejects with ApiError `outcome_unknown` if the database does not tell whether the change
 * was made, and with `overloaded` instead of another error of the database. Both are reported, but a database that cannot be
 * reached, which the session reports.
 */
export function orOutcomeUnknown<Result>(
  onError: (error: unknown) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  return orCannotRead({ error: onError }, async () => {
    try {
      return await work();
    } catch (error) {
      // Before `orCannotRead` sees it, for which it is a database that cannot be used.
      if (!(error instanceof CommitUnknown)) throw error;
      onError(error);
      throw new ApiError(
        'outcome_unknown',
        'The database did not tell whether the task was changed. It is safe to repeat the call.',
        { retryAfterSeconds: 1 },
      );
    }
  });
}
