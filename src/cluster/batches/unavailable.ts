import { ApiError } from '../../api/index.js';
import { type BatchReports, cannotStore } from '../../batch/index.js';
import { DatabaseUnavailable, StatementError } from '../../postgres/index.js';

/**
 * Rejects with ApiError `batch_unavailable` in the place of an error of the database, if `work` stores something. A defect is
 * reported; a database that cannot be reached is reported by the session.
 */
export function orCannotStore<Result>(
  reports: Pick<BatchReports, 'error'>,
  work: () => Promise<Result>,
): Promise<Result> {
  return instead(reports, work, cannotStore);
}

/** Like `orCannotStore`, with ApiError `overloaded`, if `work` only reads. */
export function orCannotRead<Result>(
  reports: Pick<BatchReports, 'error'>,
  work: () => Promise<Result>,
): Promise<Result> {
  return instead(reports, work, cannotRead);
}

async function instead<Result>(
  reports: Pick<BatchReports, 'error'>,
  work: () => Promise<Result>,
  refusal: () => ApiError,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable || error instanceof StatementError)) throw error;
    if (error instanceof StatementError) reports.error(error, '-');
    throw refusal();
  }
}

const cannotRead = () =>
  new ApiError('overloaded', 'The server cannot reach its database at the moment.', { retryAfterSeconds: 1 });
