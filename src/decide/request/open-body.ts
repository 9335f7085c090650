import { isUtf8 } from 'node:buffer';
import { ApiError } from '../../api/index.js';
import type { ByteRange } from './fields.js';
import { scanBody } from './scan.js';

/** The body of a decide request as far as JSON goes. */
export interface OpenBody {
  readonly bytes: Buffer;
  /** The top-level fields; `JSON.parse` makes even `__proto__` a plain one. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Where the values of `state` and `questions` stand, so that they can be read in the order they were sent in. */
  readonly ranges: ReadonlyMap<string, ByteRange>;
}

/**
 * Reads a body as JSON, within the limits of the scan.
 *
 * @param body the bytes as sent, decompressed
 * @throws ApiError `invalid_json`; `invalid_request` where it is no object
 */
export function openBody(body: Uint8Array): OpenBody {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!isUtf8(bytes)) throw new ApiError('invalid_json', 'The body is not valid UTF-8.');
  const ranges = scanBody(bytes, ['state', 'questions']);
  return { bytes, ranges, fields: parseObject(bytes) };
}

function parseObject(bytes: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    // The parser's message quotes the body, so it is not passed on.
    throw new ApiError('invalid_json', 'The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('invalid_request', 'The body must be a JSON object.');
  }
  return value as Record<string, unknown>;
}
