import { questionTypes } from './limits.js';

/**
 * Every error type that a caller can receive, with its status, in the order in which a request is checked.
 * `docs/errors.md` is generated from this table.
 */
export const ERRORS = {
  http_version_not_supported: {
    status: 505,
    meaning: 'The request line is not a method, a path and `HTTP/1.1`.',
  },
  headers_too_large: {
    status: 431,
    meaning: 'The request line and header fields exceed 16 KiB or 98 fields.',
  },
  not_found: { status: 404, meaning: 'The path does not exist.' },
  host_not_allowed: {
    status: 403,
    meaning:
      'The web console is not served under this host name, or not to a page of another site; see `console.hosts`.',
  },
  method_not_allowed: { status: 405, meaning: 'The path does not support the method; see `Allow`.' },
  unauthorized: {
    status: 401,
    meaning: 'The token is missing, wrong, expired or revoked, or its workspace is closed.',
  },
  length_required: { status: 411, meaning: 'The request has no `Content-Length`.' },
  body_too_large: { status: 413, meaning: 'The body is larger than the limit.' },
  unsupported_encoding: { status: 415, meaning: 'The `Content-Encoding` is not `gzip` or `zstd`.' },
  unsupported_media_type: {
    status: 415,
    meaning:
      'The `Content-Type` is a multipart type other than `multipart/form-data`; for a batch and on `/v1/decisions`, any multipart type.',
  },
  out_of_credit: { status: 402, meaning: 'The workspace has no credit left for the request.' },
  budget_exceeded: { status: 402, meaning: 'The workspace has reached its monthly budget.' },
  rate_limited: {
    status: 429,
    meaning:
      'The key has exceeded its limit per minute; see `Retry-After`. Without that header, the body alone is larger than the limit.',
  },
  too_many_batches: { status: 429, meaning: 'The key already has 10 queued or running batches.' },
  batch_not_found: { status: 404, meaning: 'The key has no such batch, or it was deleted.' },
  task_not_found: { status: 404, meaning: 'The workspace has no such task.' },
  batch_not_finished: { status: 409, meaning: 'The batch has not finished, so it has no results yet.' },
  batch_finished: { status: 409, meaning: 'The batch has finished and cannot be cancelled.' },
  request_timeout: {
    status: 408,
    meaning: 'The body did not arrive in time, or was the slowest one when memory for bodies ran short.',
  },
  bad_encoding: { status: 400, meaning: 'The body cannot be decompressed.' },
  bad_multipart: {
    status: 400,
    meaning: 'The multipart body is malformed, or its first part is not `request`.',
  },
  invalid_jsonl: { status: 400, meaning: 'The batch file is not UTF-8 text.' },
  empty_batch: { status: 400, meaning: 'The batch file, or the body with labels, has no lines.' },
  too_many_lines: {
    status: 413,
    meaning:
      'The batch file or the body with labels has more than `max_lines` lines, or the body has more than `max_lines` lines with a state.',
  },
  invalid_batch: {
    status: 422,
    meaning: 'The batch file has `invalid_lines` invalid lines; `errors` lists the first 100.',
  },
  invalid_labels: {
    status: 422,
    meaning: 'Of a call with labels, `invalid_lines` lines are invalid; `errors` lists the first 100.',
  },
  too_few_labels: {
    status: 409,
    meaning:
      'No question of the task has enough labels for a fit; `questions` says how many each has and needs.',
  },
  no_shadow: { status: 409, meaning: 'The task has no shadow build that could be promoted.' },
  shadow_changed: {
    status: 409,
    meaning:
      'The version in use or a build of the task is not the one that was expected, or not the one whose answers were compared.',
  },
  too_many_labels: {
    status: 422,
    meaning: 'The version in use of the task would have more than 20,000 labelled answers.',
  },
  idempotency_conflict: {
    status: 409,
    meaning: 'The `Idempotency-Key` was used with a different file in the last 24 hours.',
  },
  invalid_json: {
    status: 400,
    meaning: 'The body is not UTF-8 JSON, or exceeds a limit on nesting, values or keys.',
  },
  invalid_request: {
    status: 400,
    meaning:
      'The body is not an object, a field has the wrong JSON type, a parameter of the query is invalid, or the HTTP framing is ambiguous.',
  },
  model_not_found: { status: 404, meaning: 'The server does not serve the named model.' },
  model_not_allowed: { status: 403, meaning: 'The workspace is not allowed to use the model.' },
  invalid_webhook_url: { status: 422, meaning: 'The address in `Service-Webhook-Url` is not allowed.' },
  missing: { status: 422, meaning: 'The request has no `state`, or on `/v1/decisions` no `input`.' },
  invalid_input: {
    status: 400,
    meaning: 'On `/v1/decisions`: `input`, one of its items or a part of one is invalid.',
  },
  invalid_questions: {
    status: 422,
    meaning: '`questions` is missing or empty, or a name is repeated or longer than 1,024 characters.',
  },
  too_many_questions: {
    status: 422,
    meaning: 'The request has more than 16 questions, or on `/v1/decisions` more than 400.',
  },
  invalid_type: { status: 422, meaning: `The \`type\` of a question is not ${questionTypes('`')}.` },
  invalid_question: {
    status: 422,
    meaning: 'The instructions or criteria of a question are invalid, or it does not fit the context window.',
  },
  too_many_options: {
    status: 422,
    meaning: 'A question has more than 26 options; on `/v1/decisions`, more than the model can answer.',
  },
  invalid_task: {
    status: 422,
    meaning: 'The name, the description, `target_error`, `confidence` or `shadow` of a task is invalid.',
  },
  too_many_tasks: {
    status: 422,
    meaning:
      'The workspace has 100 tasks, the task 100 versions, or the questions of all versions have 16 MiB.',
  },
  invalid_image_budget: { status: 422, meaning: '`image_budget` is not 70, 140 or 280.' },
  invalid_assets: {
    status: 400,
    meaning:
      '`assets` or an entry of it is not an object; a reference is empty or longer than 1,024 bytes, or all together exceed 64 KiB; a `type` is not `image`; or an entry does not have exactly one of `data_base64` and a `part` that was sent. On `/v1/systemone` also: the state has a file part.',
  },
  image_reference_truncated: {
    status: 400,
    meaning: 'A reference occurs after the first 20,000 characters of the state.',
  },
  too_many_images: {
    status: 400,
    meaning: 'The request has more than 8 assets, or a question displays more than 8 images.',
  },
  unreferenced_asset: {
    status: 400,
    meaning: 'An asset is not referenced, or a file part is not named by an asset.',
  },
  image_too_large: { status: 400, meaning: 'An image is larger than 16 MiB.' },
  unsupported_image_format: {
    status: 400,
    meaning:
      'A `format` is not `png`, `jpg` or `jpeg`, an image does not have the stated format, or on `/v1/decisions` neither of them; or it is an animated PNG.',
  },
  image_dimensions: {
    status: 400,
    meaning:
      'A side of an image is shorter than 280 or longer than 1,568 pixels. On `/v1/decisions`: an image has more than 40,000,000 pixels or a side of more than 40 times the other, or the images have more than 200,000,000 pixels together.',
  },
  remote_image: {
    status: 400,
    meaning:
      'On `/v1/decisions`: an `image_url` is an address, which the server does not open. A `data:` URL works.',
  },
  invalid_image: { status: 400, meaning: 'An image is not valid base64 or cannot be decoded.' },
  images_not_supported: { status: 422, meaning: 'The model does not support images.' },
  batch_unavailable: {
    status: 503,
    meaning: 'The endpoint has no batch interface, or batches cannot be stored at the moment.',
  },
  outcome_unknown: {
    status: 502,
    meaning:
      'The server cannot tell whether the change was made, such as a batch that was submitted or a task that was put; it may have been. The message says what to do.',
  },
  overloaded: {
    status: 503,
    meaning:
      'A queue or the memory, or the share of a key or workspace in it, is full, or the server cannot reach its database or write charges; see `Retry-After`.',
  },
  model_unavailable: { status: 503, meaning: 'The model is known but not ready; see `Retry-After`.' },
  internal_error: { status: 500, meaning: 'The server failed; the message contains no internal details.' },
} as const;

export type ErrorType = keyof typeof ERRORS;

/** The error types of a line of a batch file (contract 7.1 and contract 7.2). */
export const LINE_ERRORS = [
  'invalid_json',
  'invalid_line',
  'invalid_custom_id',
  'duplicate_custom_id',
  'model_required',
  'task_not_found',
  'model_not_found',
  'model_not_allowed',
  'missing',
  'invalid_questions',
  'too_many_questions',
  'invalid_type',
  'invalid_question',
  'too_many_options',
  'invalid_image_budget',
  'invalid_assets',
  'too_many_images',
  'unreferenced_asset',
  'image_reference_truncated',
  'unsupported_image_format',
  'invalid_image',
  'image_too_large',
  'image_dimensions',
  'images_not_supported',
] as const;
export type LineErrorType = (typeof LINE_ERRORS)[number];

/** Headers of an error response. */
interface ErrorHeaders {
  /** Whole seconds, at least 1: `Retry-After` (contract 4.1). */
  readonly retryAfterSeconds?: number;
  /** The methods of the path, for `Allow`. */
  readonly allow?: readonly string[];
  /** Sends `x-should-retry: false`, for clients that would retry. */
  readonly final?: boolean;
}

/**
 * An error response. `message` is one sentence that names the field, the limit and the value. It quotes nothing of the
 * caller's data except names, and nothing internal to the server.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly type: ErrorType,
    message: string,
    readonly headers: ErrorHeaders = {},
    /** Fields of the body besides `error` and `type`. One whose names have an order is a map. */
    readonly details: Readonly<Record<string, unknown>> = {},
    /** The place of the fault in the body, such as `questions[3].name`; null: the format of the request has no places. */
    readonly param: string | null = null,
  ) {
    super(message);
  }

  get status(): number {
    return ERRORS[this.type].status;
  }

  /** The body of contract 2.9 as JSON. OpenAI's form of it is in `openai-errors.ts`. */
  body(): string {
    return objectJson(Object.entries({ error: this.message, type: this.type, ...this.details }));
  }
}

/** An object as JSON, with its names in the order given: objects have whole numbers first. */
const objectJson = (entries: Iterable<readonly [name: string, value: unknown]>): string => {
  const fields = [...entries].flatMap(([name, value]) => {
    const json = value instanceof Map ? objectJson(value) : JSON.stringify(value);
    return json === undefined ? [] : [`${JSON.stringify(name)}:${json}`];
  });
  return `{${fields.join(',')}}`;
};

/** Seconds until a server that stops has usually been started again. */
const RESTART_SECONDS = 5;

/** The error of a request that a stopping server does not answer. */
export const stopping = () =>
  new ApiError('model_unavailable', 'The server is stopping.', { retryAfterSeconds: RESTART_SECONDS });
