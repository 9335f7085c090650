import { createHash } from 'node:crypto';
import { ApiError, LIMITS } from '../api/index.js';

/** Throws ApiError `invalid_request` unless the header is absent, or given once with 1 to 255 characters. */
export function checkIdempotencyKey(values: readonly string[]): string | null {
  const [value] = values;
  if (value === undefined) return null;
  if (values.length === 1 && value.length > 0 && value.length <= LIMITS.idempotencyKeyCharacters)
    return value;
  throw new ApiError(
    'invalid_request',
    `Idempotency-Key must be given once, with 1 to ${LIMITS.idempotencyKeyCharacters} characters.`,
  );
}

/** The name under which a submission with an idempotency key is stored. */
export const idempotencyDigest = (idempotencyKey: string): string =>
  createHash('sha256').update(idempotencyKey).digest('hex');
