import { ApiError, type ErrorType } from '../api/index.js';

/** The error for an image. `what`: a sentence without its full stop. */
export function refused(type: ErrorType, what: string): ApiError {
  return new ApiError(type, `${what}.`);
}
