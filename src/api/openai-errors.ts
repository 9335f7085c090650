import { type ApiError, ERRORS, type ErrorType } from './errors.js';

/** The body of an error in OpenAI's form. */
interface OpenAiErrorBody {
  readonly error: {
    readonly message: string;
    /** The group of the error, as OpenAI names it. */
    readonly type: string;
    /** The place of the fault in the body; null: it has none. */
    readonly param: string | null;
    /** Our type. */
    readonly code: ErrorType;
  };
}

/** OpenAI's `type` by status. */
const GROUPS: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** The status of an error type where errors have OpenAI's form, which has no 422. */
export function openAiStatus(type: ErrorType): number {
  const { status } = ERRORS[type];
  return status === 422 ? 400 : status;
}

/** An error in OpenAI's form. */
export function openAiErrorBody({ type, message, param }: ApiError): OpenAiErrorBody {
  const status = openAiStatus(type);
  const group = GROUPS[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  return { error: { message, type: group, param, code: type } };
}
