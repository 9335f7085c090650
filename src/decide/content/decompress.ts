import { gunzipSync, type ZlibOptions } from 'node:zlib';
import { ZSTDDecoder } from 'zstddec';
import { ApiError, type ContentEncoding } from '../../api/index.js';
import { measureZstd } from './zstd-frames.js';

/**
 * The body as it was before its `Content-Encoding` (contract 4.1); `identity` is the body itself, not a copy.
 *
 * @throws ApiError `body_too_large` where that would be over `limitBytes`, `bad_encoding` where there is no such body
 */
export function decompress(body: Buffer, encoding: ContentEncoding, limitBytes: number): Buffer {
  switch (encoding) {
    case 'identity':
      return body;
    case 'gzip':
      return decompressGzip(body, limitBytes);
    case 'zstd':
      return decompressZstd(body, limitBytes);
  }
}

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
    throw new ApiError('bad_encoding', 'The gzip body is followed by other data.');
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
  if (error.code === 'Z_BUF_ERROR') return new ApiError('bad_encoding', 'The gzip body is truncated.');
  if (error.code?.startsWith('Z_DATA_') || error.code === 'Z_NEED_DICT') {
    return new ApiError('bad_encoding', 'The body is not valid gzip.');
  }
  return error;
}

const decoder = new ZSTDDecoder();

/** Starts the decoder, which is WebAssembly of its own package. Await it once in a thread before a body is read. */
export function loadZstd(): Promise<void> {
  return decoder.init();
}

/**
 * Decompresses a zstd body: its frames joined. The decoder writes into memory of the size that the frames announce and
 * no further; where they announce none, of what their blocks can hold, at most one byte over `limitBytes`. The memory
 * of the decoder, a copy of the input and the output, stays with the thread for the next body; the output is copied
 * out of it.
 *
 * @throws ApiError `body_too_large` over `limitBytes` of output, of which nothing is decompressed where the frames
 *   announce it; `bad_encoding` where `measureZstd` throws it, or the content is damaged. The decoder does not tell
 *   damage from a lack of room: a body that does not announce its size, could be over the limit and does not decompress
 *   into it, is taken for too large.
 */
export function decompressZstd(body: Buffer, limitBytes: number): Buffer {
  const { bytesMin, bytesMax, empty } = measureZstd(body);
  if (bytesMin > limitBytes) throw tooLarge(limitBytes);
  if (empty) return Buffer.alloc(0);
  // Never 0, which would let the decoder take the size from the frame.
  const output = decoder.decode(body, Math.min(bytesMax, limitBytes) + 1);
  const { length } = output;
  if (length > limitBytes || (length === 0 && bytesMax > limitBytes)) throw tooLarge(limitBytes);
  if (length > 0) return Buffer.from(output.buffer, output.byteOffset, length);
  throw new ApiError('bad_encoding', 'The content of the zstd body is damaged.');
}

/** The refusal of a body that is larger than `limitBytes` when it is decompressed. */
function tooLarge(limitBytes: number): ApiError {
  return new ApiError(
    'body_too_large',
    `The body decompresses to more than the limit of ${limitBytes} bytes.`,
  );
}
