import { type BatchReports, cannotStore } from '../../batch/index.js';
import { DatabaseUnavailable, StatementError } from '../../postgres/index.js';

/** Reports an error of the database, and rejects with ApiError `batch_unavailable` in its place. */
export async function orUnavailable<Result>(
  reports: Pick<BatchReports, 'error'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable || error instanceof StatementError)) throw error;
    reports.error(error, '-');
    throw cannotStore();
  }
}
