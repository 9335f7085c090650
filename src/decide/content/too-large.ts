import { ApiError } from '../../api/index.js';

/** The refusal of a body that is larger than `limitBytes` when it is decompressed. */
export function tooLarge(limitBytes: number): ApiError {
  return new ApiError(
    'body_too_large',
    `The body decompresses to more than the limit of ${limitBytes} bytes.`,
  );
}
