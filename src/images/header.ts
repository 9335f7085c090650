import type { ImageFormat } from '../api/index.js';
import type { Size } from './pixels.js';

interface FormatReader {
  /** The first bytes of every file of the format. */
  readonly magic: Buffer;
  /** The size in the header, or null if it cannot be read. */
  readSize(bytes: Buffer): Size | null;
  /** `still`: one complete image, as far as can be told without decoding. */
  extentOf(bytes: Buffer): 'still' | 'animated' | 'cut';
}

/** The supported formats (contract 2.3). Reads headers only; nothing is decoded. */
export const FORMAT_READERS: Readonly<Record<ImageFormat, FormatReader>> = {
  png: {
    magic: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    readSize: readPngSize,
    extentOf: pngExtent,
  },
  jpeg: { magic: Buffer.from([0xff, 0xd8, 0xff]), readSize: readJpegSize, extentOf: () => 'still' },
};

const MARKER = 0xff;
const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
/** Markers from C0 to CF that do not begin a frame: DHT, JPG, DAC. */
const NO_FRAME = [0xc4, 0xc8, 0xcc];

/**
 * The size in the frame header of a JPEG (ITU T.81, B.2.2), or null if there is none before the first scan. Walks the
 * segments; a thumbnail is inside one and is skipped.
 */
function readJpegSize(bytes: Buffer): Size | null {
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== MARKER) return null;
    const marker = bytes[at + 1] as number;
    if (marker === MARKER || standsAlone(marker)) {
      // Any number of FF bytes may precede a marker.
      at += marker === MARKER ? 1 : 2;
      continue;
    }
    if (marker === START_OF_SCAN || marker === END_OF_IMAGE || marker === START_OF_IMAGE || marker === 0)
      return null;
    if (startsFrame(marker)) {
      if (at + 9 > bytes.length) return null;
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return null;
}

/** TEM and RST0 to RST7 have no length. */
const standsAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
const startsFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && !NO_FRAME.includes(marker);

const SIGNATURE_BYTES = 8;
const HEADER_BYTES = 13;
/** Length and type before a chunk's content, a checksum after it. */
const CHUNK_START_BYTES = 8;
const CHUNK_END_BYTES = 4;

/** The size in the header of a PNG, or null if its first chunk is not a header. */
function readPngSize(bytes: Buffer): Size | null {
  const at = SIGNATURE_BYTES;
  const end = at + CHUNK_START_BYTES + HEADER_BYTES + CHUNK_END_BYTES;
  if (bytes.length < end || bytes.readUInt32BE(at) !== HEADER_BYTES || typeAt(bytes, at) !== 'IHDR')
    return null;
  return { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
}

/**
 * What decoders of still images do not report: whether a PNG is an animation, of which they return the first frame, and
 * whether its last chunk is missing. Walks the chunks up to the last one.
 */
function pngExtent(bytes: Buffer): 'still' | 'animated' | 'cut' {
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
