import type { OperatorWorkspace } from './operator.js';

/** The body of every error response of the operator listener. */
export interface OperatorErrorBody {
  /** A sentence that says what is wrong. */
  readonly error: string;
  /** A key of `OPERATOR_ERRORS`. */
  readonly type: string;
  /** The field of the body, or the parameter of the query or the path, that is wrong. */
  readonly field?: string;
  /** With `conflict` of a `version`: the workspace as it is now. */
  readonly current?: OperatorWorkspace;
}

/** Every error of the operator listener. `docs/operator.md` lists them. */
export const OPERATOR_ERRORS = {
  host_not_allowed: {
    status: 403,
    meaning:
      'The `Host` is not an address, `localhost` or a name in `operator.hosts`, or a page of another site sent the request.',
  },
  unauthorized: { status: 401, meaning: 'The operator’s token is missing or wrong.' },
  not_found: { status: 404, meaning: 'There is no such path, workspace, key or batch.' },
  method_not_allowed: { status: 405, meaning: 'The path does not support the method; see `Allow`.' },
  unsupported_media_type: {
    status: 415,
    meaning: 'The body is not `application/json`, or has a `Content-Encoding` other than `identity`.',
  },
  body_too_large: { status: 413, meaning: 'The body is larger than 16 KiB.' },
  request_timeout: { status: 408, meaning: 'The body did not arrive within 10 seconds.' },
  invalid_json: { status: 400, meaning: 'The body is not JSON in UTF-8.' },
  invalid_request: {
    status: 400,
    meaning:
      'A field or parameter is missing, unknown or wrong (see `field`), or the bytes are not a request.',
  },
  headers_too_large: {
    status: 431,
    meaning: 'The request line and the header fields are larger than 16 KiB, or more than 98 fields.',
  },
  http_version_not_supported: { status: 505, meaning: 'The request is not one of HTTP/1.1.' },
  conflict: {
    status: 409,
    meaning:
      'The workspace exists already or is closed, the key is in a state that does not permit the change, the batch has finished, or the workspace has another `version`: `current` is the workspace as it is now.',
  },
  outcome_unknown: {
    status: 502,
    meaning:
      'The database did not tell whether the change was made. It may have been: look at `/api/audit` before you repeat it.',
  },
  data_unavailable: {
    status: 503,
    meaning:
      'The data folder or the database cannot be read or written, or the server is stopping. Nothing was changed.',
  },
  internal_error: {
    status: 500,
    meaning: 'The server failed; its log has the reason. A change may have been made.',
  },
} as const;
export type OperatorErrorType = keyof typeof OPERATOR_ERRORS;
