import { ApiError, type ErrorType } from '../../api/index.js';

/** Why a line was not answered. */
export interface Failure {
  /** The HTTP status of the error. Null: the line never ran (contract 2.7). */
  readonly status: number | null;
  readonly type: string;
  readonly message: string;
  /** Whether a retry may succeed. */
  readonly temporary: boolean;
}

/** Errors that a retry may avoid. All others would recur. */
const TEMPORARY: ReadonlySet<ErrorType> = new Set(['overloaded', 'model_unavailable', 'internal_error']);

/** The failure of a line for which `decide` threw `error`. */
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

/** The model was withdrawn from the workspace before the line ran (contract 5 rule 9). */
export const WITHDRAWN: Failure = {
  status: null,
  type: 'model_not_allowed',
  message: 'The workspace may no longer use this model.',
  temporary: false,
};

/** The task was deleted, or deleted and made again, before the line ran. */
export const TASK_DELETED: Failure = {
  status: null,
  type: 'task_not_found',
  message: 'The task was deleted before the line ran.',
  temporary: false,
};

/** The engine has ended the server too often while it computed the line (contract 3). */
export const ABORTED: Failure = {
  status: 500,
  type: 'internal_error',
  message:
    'The engine ended the server twice while it computed this line. Its operator finds the reason in the log.',
  temporary: false,
};

/** Tries of a line in total (contract 8). */
export const TRIES_MAX = 5;
const FIRST_WAIT_MS = 1_000;
/** A wait varies by up to this fraction, so that lines that failed together do not return together. */
const JITTER = 0.25;

/** The wait before the next try, in milliseconds: about 1, 2, 4, 8 s. `random`: a number from 0 to 1. */
export function retryWaitMs(tries: number, random: number): number {
  return FIRST_WAIT_MS * 2 ** (tries - 1) * (1 + JITTER * (2 * random - 1));
}
