import { ApiError } from '../../../api/index.js';

/** The refusal of a multipart body; `why` ends the sentence. */
export function malformed(why: string): ApiError {
  return new ApiError('bad_multipart', `The multipart body is malformed: ${why}.`);
}
