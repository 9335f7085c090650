import { ZSTDDecoder } from 'zstddec';
import { ApiError } from '../../api/index.js';
import { tooLarge } from './too-large.js';
import { measureZstd } from './zstd-frames.js';

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
