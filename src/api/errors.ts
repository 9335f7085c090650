/**
 * Every error a caller can be answered with, in the order in which a request is checked.
 * The table is the only place where a type meets its status; the README's list is tested against it.
 */
export const ERRORS = {
  http_version_not_supported: {
    status: 505,
    meaning: 'The first line is not a method, a path and `HTTP/1.1`.',
  },
  headers_too_large: {
    status: 431,
    meaning: 'The first line and the header fields take more than 16 KiB, or there are more than 98 fields.',
  },
  not_found: { status: 404, meaning: 'No such path.' },
  method_not_allowed: { status: 405, meaning: 'The path exists, but not with this method; see `Allow`.' },
  unauthorized: { status: 401, meaning: 'The token is missing, wrong, expired or revoked.' },
  length_required: { status: 411, meaning: 'The request has no `Content-Length`.' },
  body_too_large: { status: 413, meaning: 'The body is larger than the limit.' },
  unsupported_encoding: { status: 415, meaning: 'A `Content-Encoding` other than `gzip` or `zstd`.' },
  unsupported_media_type: {
    status: 415,
    meaning: 'A multipart `Content-Type` other than `multipart/form-data`; for a batch, any multipart one.',
  },
  out_of_credit: { status: 402, meaning: 'The workspace has no credit left for the request.' },
  budget_exceeded: { status: 402, meaning: 'The workspace has reached its budget of the month.' },
  rate_limited: { status: 429, meaning: 'The key is over its limit per minute; see `Retry-After`.' },
  too_many_batches: { status: 429, meaning: 'The key has 10 batches that are queued or running.' },
  batch_not_found: { status: 404, meaning: 'The key has no such batch, or it was deleted.' },
  batch_not_finished: { status: 409, meaning: 'The batch has not finished: there are no results yet.' },
  batch_finished: { status: 409, meaning: 'The batch has finished and cannot be cancelled.' },
  request_timeout: {
    status: 408,
    meaning: 'The body did not arrive in time, or was the slowest when memory for bodies was short.',
  },
  bad_encoding: { status: 400, meaning: 'The body does not decompress.' },
  bad_multipart: {
    status: 400,
    meaning: 'The multipart body is malformed, or its first part is not `request`.',
  },
  invalid_jsonl: { status: 400, meaning: 'The batch file is not UTF-8 text.' },
  empty_batch: { status: 400, meaning: 'The batch file has no lines.' },
  too_many_lines: { status: 413, meaning: 'The batch file has more lines than `max_lines`.' },
  invalid_batch: {
    status: 422,
    meaning: 'Lines of the batch file are not valid: `invalid_lines` of them, the first 100 in `errors`.',
  },
  idempotency_conflict: {
    status: 409,
    meaning: 'The `Idempotency-Key` came with another file in the last 24 hours.',
  },
  invalid_json: { status: 400, meaning: 'The body is not UTF-8 JSON, or nests too deep.' },
  invalid_request: {
    status: 400,
    meaning: 'The body is not an object, a field has the wrong JSON type, or the HTTP framing is ambiguous.',
  },
  model_not_found: { status: 404, meaning: 'This server does not serve the model named.' },
  model_not_allowed: { status: 403, meaning: 'The workspace may not use the model.' },
  invalid_webhook_url: { status: 422, meaning: 'The address in `Service-Webhook-Url` is refused.' },
  missing: { status: 422, meaning: 'The request has no `state`.' },
  invalid_questions: {
    status: 422,
    meaning: '`questions` is absent or empty, or a name is given twice or longer than 1,024 characters.',
  },
  too_many_questions: { status: 422, meaning: 'More than 16 questions.' },
  invalid_type: { status: 422, meaning: 'A question’s `type` is not `noul`, `choice` or `score`.' },
  invalid_question: {
    status: 422,
    meaning:
      'A question’s instructions or criteria are not valid, or it does not fit the model’s context window.',
  },
  too_many_options: { status: 422, meaning: 'A question has more than 26 options.' },
  invalid_image_budget: { status: 422, meaning: '`image_budget` is not 70, 140 or 280.' },
  invalid_assets: {
    status: 400,
    meaning:
      '`assets` is not an object of images: an entry is not an object, a reference is empty, longer than 1,024 bytes or over 64 KiB with the others, a `type` is not `image`, or there are not exactly one of `data_base64` and a `part` that was sent.',
  },
  image_reference_truncated: {
    status: 400,
    meaning: 'A reference stands beyond the first 20,000 characters of the state.',
  },
  too_many_images: {
    status: 400,
    meaning: 'More than 8 assets, or a question that would show more than 8 images.',
  },
  unreferenced_asset: {
    status: 400,
    meaning: 'No text refers to an asset, or no asset names a file part.',
  },
  image_too_large: { status: 400, meaning: 'An image has more than 16 MiB.' },
  unsupported_image_format: {
    status: 400,
    meaning:
      'A `format` is not `png`, `jpg` or `jpeg`, an image is in another one, or it is an animated PNG.',
  },
  image_dimensions: { status: 400, meaning: 'A side of an image has under 280 or over 1,568 pixels.' },
  invalid_image: { status: 400, meaning: 'An image is not valid base64, or cannot be read.' },
  images_not_supported: { status: 422, meaning: 'The model does not read images.' },
  batch_unavailable: {
    status: 503,
    meaning: 'This endpoint has no batch interface, or it cannot store now.',
  },
  overloaded: {
    status: 503,
    meaning:
      'A queue or the memory is full, or the share of it that a key or workspace may have; see `Retry-After`.',
  },
  model_unavailable: { status: 503, meaning: 'The model is known, but not ready; see `Retry-After`.' },
  internal_error: { status: 500, meaning: 'The server failed. The message holds nothing internal.' },
} as const;

export type ErrorType = keyof typeof ERRORS;

/** The types that a line of a batch file can be refused with (contract 7.1 and contract 7.2). */
export const LINE_ERRORS = [
  'invalid_json',
  'invalid_line',
  'invalid_custom_id',
  'duplicate_custom_id',
  'model_required',
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

/** Headers an error answer carries besides its body. */
export interface ErrorHeaders {
  /** Whole seconds, at least 1: `Retry-After` (contract 4.1). */
  readonly retryAfterSeconds?: number;
  /** The methods of the path, for `Allow`. */
  readonly allow?: readonly string[];
  /** `x-should-retry: false`, for clients that would try again. */
  readonly final?: boolean;
}

/**
 * An answer to the caller that is not a success. `message` is one sentence that names the field, the limit
 * and the value; it never quotes the caller's texts beyond names, and nothing of the server's inside.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly type: ErrorType,
    message: string,
    readonly headers: ErrorHeaders = {},
    /** Fields of the body besides the two that every error has. */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }

  get status(): number {
    return ERRORS[this.type].status;
  }

  /** The body of contract 2.9. */
  body(): { error: string; type: ErrorType } {
    return { error: this.message, type: this.type, ...this.details };
  }
}
