import { ApiError } from '../../../api/index.js';
import { type BatchReports, cannotStore } from '../../../batch/index.js';
import { CommitUnknown, DatabaseUnavailable, StatementError } from '../postgres/database-errors.js';
import { WrongFormat } from '../postgres/schema/format.js';

/**
 * Runs `work`, which looks up what a new batch needs, and rejects with ApiError `batch_unavailable` instead of an error of
 * the database. A StatementError is reported; the session reports a database that cannot be reached.
 */
export function orCannotStore<Result>(
  reports: Pick<BatchReports, 'error'>,
  work: () => Promise<Result>,
): Promise<Result> {
  return instead(reports, work, cannotStore);
}

/** Like `orCannotStore`, for `work` that stores something of the batch `id`; see `orMayBe`. */
export const orUnknown = <Result>(
  reports: Pick<BatchReports, 'error'>,
  id: string,
  mayBe: () => ApiError,
  work: () => Promise<Result>,
): Promise<Result> => orCannotStore(reports, () => orMayBe(reports, id, mayBe, work));

/**
 * Runs `work`. If the database does not tell whether it has stored something, that is reported, and the promise rejects
 * with what `mayBe` returns. Call it within the other functions, which take that error for an unusable database.
 *
 * @param id of the batch; '-': there is none
 */
export async function orMayBe<Result>(
  reports: Pick<BatchReports, 'error'>,
  id: string,
  mayBe: () => ApiError,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CommitUnknown)) throw error;
    reports.error(error, id);
    throw mayBe();
  }
}

/** Like `orCannotStore`, for `work` that only reads, with ApiError `overloaded`. */
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
    const refused = refusal();
    throw error instanceof WrongFormat
      ? new ApiError(refused.type, error.message, { retryAfterSeconds: 1 })
      : refused;
  }
}

const cannotRead = () =>
  new ApiError('overloaded', 'The server cannot reach its database at the moment.', { retryAfterSeconds: 1 });
