import { isUtf8 } from 'node:buffer';
import { ApiError } from '../../api/index.js';
import { hasByteOrderMark } from '../../base/index.js';
import type { ByteRange } from './fields.js';
import { scanBody } from './scan.js';

/** The body of a decide request, parsed as JSON. */
export interface OpenBody {
  /** The top-level fields; `JSON.parse` makes even `__proto__` a plain one. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The source text of the named fields, so that they can be read in the order sent. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Up to this size a value is a slice of the body's string, which then stays in memory as long as the value does. */
const CUT_BODY_BYTES_MAX = 64 * 1024;

/**
 * Reads a body as JSON, within the limits of the scan.
 *
 * @param body the bytes as sent, decompressed
 * @param names the fields whose source text is kept
 * @param subject what error messages call the text
 * @throws ApiError `invalid_json`; `invalid_request` if it is not an object
 */
export function openBody(
  body: Uint8Array,
  names: readonly string[] = ['state', 'questions'],
  subject: 'body' | 'line' = 'body',
): OpenBody {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!isUtf8(bytes)) throw new ApiError('invalid_json', `The ${subject} is not valid UTF-8.`);
  if (hasByteOrderMark(bytes)) {
    throw new ApiError(
      'invalid_json',
      `The ${subject} begins with a byte order mark (BOM). Send UTF-8 without one.`,
    );
  }
  const ranges = scanBody(bytes, names);
  const text = bytes.toString('utf8');
  return { fields: parseObject(text, subject), sources: cutOut(ranges, bytes, text) };
}

/** If the body has as many code units as bytes, it is ASCII, and byte offsets are also string offsets. */
function cutOut(
  ranges: ReadonlyMap<string, ByteRange>,
  bytes: Buffer,
  text: string,
): ReadonlyMap<string, string> {
  const cut = text.length === bytes.length && bytes.length <= CUT_BODY_BYTES_MAX;
  const sources = new Map<string, string>();
  for (const [name, { start, end }] of ranges) {
    sources.set(name, cut ? text.slice(start, end) : bytes.toString('utf8', start, end));
  }
  return sources;
}

function parseObject(text: string, subject: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the body, so it is not repeated.
    throw new ApiError('invalid_json', `The ${subject} is not valid JSON.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('invalid_request', `The ${subject} must be a JSON object.`);
  }
  return value as Record<string, unknown>;
}

/** The source bytes of `state` in a body that `readRequest` accepts. Equal bytes are equal states. */
export function stateBytes(body: Buffer): Buffer {
  const range = scanBody(body, ['state']).get('state');
  return range === undefined ? body.subarray(0, 0) : body.subarray(range.start, range.end);
}
