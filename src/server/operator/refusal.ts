import { AccessError } from '../../access/index.js';
import {
  ApiError,
  OPERATOR_ERRORS,
  type OperatorErrorBody,
  type OperatorErrorType,
  type OperatorWorkspace,
} from '../../api/index.js';
import { StoreError } from '../../base/index.js';
import { DataUnavailable, OutcomeUnknown } from '../../storage/index.js';

/** An error response of the operator listener. The message is a sentence. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly type: OperatorErrorType,
    message: string,
    /** The field or parameter that is wrong. */
    readonly field: string | null = null,
    readonly headers: Readonly<Record<string, string>> = {},
    /** Of a conflict: what is there now; null: nothing is shown. */
    readonly current: OperatorWorkspace | null = null,
  ) {
    super(message);
  }

  get status(): number {
    return OPERATOR_ERRORS[this.type].status;
  }

  get body(): OperatorErrorBody {
    const { message: error, type, field, current } = this;
    return { error, type, ...(field !== null && { field }), ...(current !== null && { current }) };
  }
}

const TYPE_OF = { invalid: 'invalid_request', not_found: 'not_found', conflict: 'conflict' } as const;

/**
 * The response to an error of a route; null if it is unexpected. A route must read what is stored before it changes it:
 * `data_unavailable` says that nothing was changed.
 *
 * @param subject the argument that the request gives as `id`
 */
export function refusalOf(error: unknown, subject: string | null): Refusal | null {
  if (error instanceof Refusal) return error;
  if (error instanceof ApiError && error.type === 'host_not_allowed') {
    return new Refusal('host_not_allowed', error.message);
  }
  if (error instanceof AccessError) {
    const { argument, problem, refusal } = error;
    const name = argument.replaceAll('-', '_');
    return new Refusal(TYPE_OF[refusal], `${name}: ${problem}`, argument === subject ? 'id' : name);
  }
  if (error instanceof OutcomeUnknown)
    return new Refusal(
      'outcome_unknown',
      `${error.message} Look at the audit log before you repeat it: every change that was made has an entry.`,
    );
  // An account is read before anything is changed.
  const isOverloaded = error instanceof ApiError && error.type === 'overloaded';
  const isUnavailable = isOverloaded || error instanceof DataUnavailable || error instanceof StoreError;
  return isUnavailable ? new Refusal('data_unavailable', error.message) : null;
}
