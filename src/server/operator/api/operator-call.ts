import type { OperatorApiName, OperatorResponses } from '../../../api/index.js';

/** A request for a route of the operator's interface. */
export interface OperatorCall {
  /** The value of `{id}` in the path; '' if it has none. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** Parsed JSON; `{}` if there is no body. */
  readonly body: unknown;
  /** The actor in the audit log. */
  readonly actor: string;
}

/** What some routes do: they return the response, or its JSON as bytes. Reject with Refusal, AccessError, DataUnavailable or OutcomeUnknown. */
export type Handlers<Name extends OperatorApiName> = {
  readonly [Each in Name]: (
    call: OperatorCall,
  ) => OperatorResponses[Each] | Promise<OperatorResponses[Each] | Uint8Array>;
};
