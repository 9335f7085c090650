import { ApiError } from '../../../api/index.js';
import { orCannotRead, orMayBe } from '../batches/unavailable.js';

/** The error for a change of a task that may have been made. */
interface Doubt {
  readonly message: string;
  /** Whether clients must not repeat the call by themselves: after the change, the repetition fails or changes more. */
  readonly final: boolean;
}

const PROMOTED = 'The database did not tell whether the shadow build was promoted.';

export const DOUBTS = {
  changed: {
    message: 'The database did not tell whether the task was changed. It is safe to repeat the call.',
    final: false,
  },
  deleted: {
    message:
      'The database did not tell whether the task was deleted. Look at the list of tasks before you repeat the call: another task may have the name meanwhile.',
    final: true,
  },
  promoted: {
    message: `${PROMOTED} Look at the task before you repeat the call, because it does not name the version.`,
    final: true,
  },
  /** A promotion that names its version changes nothing if it is repeated. */
  promotedByVersion: { message: `${PROMOTED} It is safe to repeat the call.`, final: false },
} as const satisfies Readonly<Record<string, Doubt>>;

/**
 * Runs `work`, which changes a task. Rejects with ApiError `outcome_unknown` if the database does not tell whether the change
 * was made, and with `overloaded` instead of another error of the database. Both are reported, but a database that cannot be
 * reached, which the session reports.
 */
export function orOutcomeUnknown<Result>(
  onError: (error: unknown) => void,
  { message, final }: Doubt,
  work: () => Promise<Result>,
): Promise<Result> {
  const reports = { error: onError };
  const mayBe = () => new ApiError('outcome_unknown', message, { retryAfterSeconds: 1, final });
  return orCannotRead(reports, () => orMayBe(reports, '-', mayBe, work));
}
