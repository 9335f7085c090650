import { ApiError, type ErrorType } from '../../api/index.js';

/** Why a line was not answered. */
export interface Failure {
  /** The refusal's status; null where the line never ran (contract 2.7). */
  readonly status: number | null;
  readonly type: string;
  readonly message: string;
  /** Whether trying again may help. */
  readonly temporary: boolean;
}

/** Faults of the moment: everything else would be refused again. */
const TEMPORARY: ReadonlySet<ErrorType> = new Set(['overloaded', 'model_unavailable', 'internal_error']);

/** What an error of `decide` means for a line. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { status, type, message } = error;
    return { status, type, message, temporary: TEMPORARY.has(type) };
  }
  return {
    status: 500,
    type: 'internal_error',
    message: 'The server failed to answer this line.',
    temporary: true,
  };
}

/** Contract 5 rule 9. */
export const WITHDRAWN: Failure = {
  status: null,
  type: 'model_not_allowed',
  message: 'The workspace may no longer use this model.',
  temporary: false,
};

/** Contract 8: tries of a line in all. */
export const TRIES_MAX = 5;
const FIRST_WAIT_MS = 1_000;
/** A wait is longer or shorter by up to this part of it, so that lines do not come back all at once. */
const JITTER = 0.25;

/** How long a line waits after so many tries, in milliseconds: about 1, 2, 4, 8 s. `random`: from 0 to 1. */
export function retryWaitMs(tries: number, random: number): number {
  return FIRST_WAIT_MS * 2 ** (tries - 1) * (1 + JITTER * (2 * random - 1));
}
