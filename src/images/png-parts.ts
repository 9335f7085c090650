import { crc32 } from 'node:zlib';
import type { Size } from './pixels.js';

const SIGNATURE_BYTES = 8;
const HEADER_BYTES = 13;
/** Length and type before a chunk's content, a checksum after it. */
const CHUNK_START_BYTES = 8;
const CHUNK_END_BYTES = 4;
/** Offset of the method of interlacing in the first chunk. */
const INTERLACE = CHUNK_START_BYTES + 12;
const typeOf = (name: string) => Buffer.from(name, 'latin1').readUInt32BE();
const [IHDR, IDAT, IEND, ACTL] = [typeOf('IHDR'), typeOf('IDAT'), typeOf('IEND'), typeOf('acTL')];

/** The size in the header of a PNG, or null if its first chunk is not a header. */
export function readPngSize(bytes: Buffer): Size | null {
  const at = SIGNATURE_BYTES;
  const end = at + CHUNK_START_BYTES + HEADER_BYTES + CHUNK_END_BYTES;
  if (bytes.length < end || bytes.readUInt32BE(at) !== HEADER_BYTES || typeAt(bytes, at) !== IHDR)
    return null;
  return { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
}

/** Whether a PNG with a header has its pixels in seven passes. */
export const isInterlaced = (bytes: Buffer): boolean => bytes[SIGNATURE_BYTES + INTERLACE] === 1;

/** What the chunks of a PNG say against reading it: `animated`, or the predicate of a sentence. Null: nothing. */
export function pngFault(bytes: Buffer): 'animated' | { readonly predicate: string } | null {
  for (let at = SIGNATURE_BYTES; ; ) {
    if (at + CHUNK_START_BYTES > bytes.length) return { predicate: 'is truncated' };
    const type = typeAt(bytes, at);
    at = chunkEnd(bytes, at);
    if (type === ACTL) return 'animated';
    if (type === IEND) return at <= bytes.length ? null : { predicate: 'is truncated' };
  }
}

/** The first wrong checksum of a PNG without a fault, as the predicate of a sentence; null: none. */
export function wrongChecksum(bytes: Buffer): string | null {
  for (let at = SIGNATURE_BYTES; typeAt(bytes, at) !== IEND; at = chunkEnd(bytes, at)) {
    // The chunks that every image needs. Decoders do not check the checksums of all others.
    if (![IHDR, IDAT].includes(typeAt(bytes, at))) continue;
    const end = chunkEnd(bytes, at) - CHUNK_END_BYTES;
    if (crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) {
      return 'is damaged: a checksum is wrong';
    }
  }
  return null;
}

const chunkEnd = (bytes: Buffer, at: number) =>
  at + CHUNK_START_BYTES + bytes.readUInt32BE(at) + CHUNK_END_BYTES;

const typeAt = (bytes: Buffer, chunk: number) => bytes.readUInt32BE(chunk + 4);
