import { gunzipSync, type ZlibOptions } from 'node:zlib';
import { ApiError } from '../../api/index.js';
import { tooLarge } from './too-large.js';

/** The least that is set aside for output: a smaller hint would cost a call for every few bytes. */
const OUTPUT_CHUNK_BYTES_MIN = 64 * 1024;

/**
 * Decompresses a gzip body. Several members one after another are one body (RFC 1952, 2.2); anything else behind a
 * member is refused, also the zeros that `node:zlib` would pass over.
 *
 * Holds at most the output twice: in the pieces it came in, and joined. Where the stream tells its length truly there
 * is one piece, and nothing to join.
 *
 * @throws ApiError `body_too_large` at `limitBytes` of output, beyond which nothing is inflated; `bad_encoding` for a
 *   stream that is damaged, cut short or followed by other bytes
 */
export function decompressGzip(body: Buffer, limitBytes: number): Buffer {
  const options: ZlibOptions = {
    info: true,
    maxOutputLength: limitBytes,
    chunkSize: Math.max(OUTPUT_CHUNK_BYTES_MIN, Math.min(announcedBytes(body), limitBytes) + 1),
  };
  let result: InflateResult;
  try {
    // With `info` it returns more than its declared type says.
    result = gunzipSync(body, options) as unknown as InflateResult;
  } catch (error) {
    throw refusal(error as NodeJS.ErrnoException, limitBytes);
  }
  if (result.engine.bytesWritten < body.length) {
    throw new ApiError('bad_encoding', 'The gzip body goes on behind its end.');
  }
  return result.buffer;
}

interface InflateResult {
  readonly buffer: Buffer;
  /** `bytesWritten`: how much of the input was used. */
  readonly engine: { readonly bytesWritten: number };
}

/** The length that the last member ends with, modulo 2³²: a hint, since nothing has been checked. */
function announcedBytes(body: Buffer): number {
  return body.length < 4 ? 0 : body.readUInt32LE(body.length - 4);
}

function refusal(error: NodeJS.ErrnoException, limitBytes: number): unknown {
  if (error.code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(limitBytes);
  if (error.code === 'Z_BUF_ERROR') return new ApiError('bad_encoding', 'The gzip body is cut short.');
  if (error.code?.startsWith('Z_DATA_') || error.code === 'Z_NEED_DICT') {
    return new ApiError('bad_encoding', 'The body is not valid gzip.');
  }
  return error;
}
