import type { Size } from './size.js';

const SIGNATURE_BYTES = 8;
const HEADER_BYTES = 13;
/** Length and type before a chunk's content, a checksum behind it. */
const CHUNK_START_BYTES = 8;
const CHUNK_END_BYTES = 4;

/** What the header of a PNG says, or null where its first chunk is no header. */
export function readPngSize(bytes: Buffer): Size | null {
  const at = SIGNATURE_BYTES;
  const end = at + CHUNK_START_BYTES + HEADER_BYTES + CHUNK_END_BYTES;
  if (bytes.length < end || bytes.readUInt32BE(at) !== HEADER_BYTES || typeAt(bytes, at) !== 'IHDR')
    return null;
  return { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
}

/**
 * What decoders of still images do not tell: whether a PNG says anywhere that it is an animation, of which they show
 * the first frame, and whether its last chunk is missing. Goes from chunk to chunk up to that one.
 */
export function pngExtent(bytes: Buffer): 'still' | 'animated' | 'cut' {
  for (let at = SIGNATURE_BYTES; ; ) {
    if (at + CHUNK_START_BYTES > bytes.length) return 'cut';
    const type = typeAt(bytes, at);
    at += CHUNK_START_BYTES + bytes.readUInt32BE(at) + CHUNK_END_BYTES;
    if (type === 'acTL') return 'animated';
    if (type === 'IEND') return at <= bytes.length ? 'still' : 'cut';
  }
}

const typeAt = (bytes: Buffer, chunk: number) =>
  bytes.toString('latin1', chunk + 4, chunk + CHUNK_START_BYTES);
