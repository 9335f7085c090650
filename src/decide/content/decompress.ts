import { gunzipSync, type ZlibOptions } from 'node:zlib';
import type { ZSTDDecoder } from 'zstddec';
import { ApiError, type ContentEncoding } from '../../api/index.js';
import { endsBehindMembers } from './gzip-members.js';
import { measureZstd } from './zstd-frames.js';

/**
 * Undoes the `Content-Encoding` of a body (contract 4.1). For `identity` it returns the body itself, not a copy.
 *
 * @throws ApiError `body_too_large` if the result exceeds `limitBytes`; `bad_encoding` if the body is damaged
 */
export async function decompress(
  body: Buffer,
  encoding: ContentEncoding,
  limitBytes: number,
): Promise<Buffer> {
  switch (encoding) {
    case 'identity':
      return body;
    case 'gzip':
      return decompressGzip(body, limitBytes);
    case 'zstd':
      await loadZstd();
      return decompressZstd(body, limitBytes);
  }
}

/** Minimum output chunk: a smaller hint would cost a call for every few bytes. */
const OUTPUT_CHUNK_BYTES_MIN = 64 * 1024;

/**
 * Decompresses a gzip body. Consecutive members are one body (RFC 1952, 2.2); any other trailing data is refused,
 * including the zeros that `node:zlib` would skip.
 *
 * Uses at most twice the memory of the output: the chunks, then the joined buffer. If the length at the end of the
 * stream is correct, there is one chunk and nothing to join.
 *
 * @throws ApiError `body_too_large` if the output exceeds `limitBytes`, beyond which nothing is inflated; `bad_encoding`
 *   if the stream is damaged, truncated or followed by other bytes
 */
export function decompressGzip(body: Buffer, limitBytes: number): Buffer {
  const options: ZlibOptions = {
    info: true,
    maxOutputLength: limitBytes,
    chunkSize: Math.max(OUTPUT_CHUNK_BYTES_MIN, Math.min(announcedBytes(body), limitBytes) + 1),
  };
  let result: InflateResult;
  try {
    // With `info`, the result has more than its declared type.
    result = gunzipSync(body, options) as unknown as InflateResult;
  } catch (error) {
    throw refusal(error as NodeJS.ErrnoException, body, limitBytes);
  }
  if (result.engine.bytesWritten < body.length) throw followed();
  return result.buffer;
}

interface InflateResult {
  readonly buffer: Buffer;
  /** `bytesWritten`: bytes of the input that were used. */
  readonly engine: { readonly bytesWritten: number };
}

/** The output length modulo 2³² that the last member states; only a hint, because it is unchecked. */
function announcedBytes(body: Buffer): number {
  return body.length < 4 ? 0 : body.readUInt32LE(body.length - 4);
}

function refusal(error: NodeJS.ErrnoException, body: Buffer, limitBytes: number): unknown {
  if (error.code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(limitBytes);
  // zlib reads any other byte behind a member as the beginning of the next one, cut off or damaged.
  if (endsBehindMembers(body, limitBytes)) return followed();
  if (error.code === 'Z_BUF_ERROR') return new ApiError('bad_encoding', 'The gzip body is truncated.');
  if (error.code?.startsWith('Z_DATA_') || error.code === 'Z_NEED_DICT') {
    return new ApiError('bad_encoding', 'The body is not valid gzip.');
  }
  return error;
}

const followed = () => new ApiError('bad_encoding', 'The gzip body is followed by other data.');

let decoder: ZSTDDecoder;
let loading: Promise<void> | undefined;

/**
 * Loads the WebAssembly decoder once per thread, 30 ms of processor time: most threads never read a zstd body. Await it
 * before `decompressZstd`.
 */
export function loadZstd(): Promise<void> {
  loading ??= load();
  return loading;
}

async function load(): Promise<void> {
  const { ZSTDDecoder } = await import('zstddec');
  decoder = new ZSTDDecoder();
  await decoder.init();
}

/**
 * Decompresses a zstd body: the concatenation of its frames. The decoder gets an output buffer of the size that the
 * frames announce; if they announce none, of what their blocks can hold, at most one byte over `limitBytes`. The
 * decoder's memory, with copies of input and output, is kept for the next body of the thread.
 *
 * @throws ApiError `body_too_large` if the output exceeds `limitBytes` (before decompressing anything, if the frames
 *   announce their size); `bad_encoding` if `measureZstd` throws it or the content is damaged. The decoder does not
 *   distinguish damage from a full buffer: a body that announces no size, might exceed the limit and does not
 *   decompress counts as too large.
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

/** The error for a body that decompresses to more than `limitBytes`. */
function tooLarge(limitBytes: number): ApiError {
  return new ApiError(
    'body_too_large',
    `The body decompresses to more than the limit of ${limitBytes} bytes.`,
  );
}
