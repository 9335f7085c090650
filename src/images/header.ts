import { IMAGE_FORMATS, type ImageFormat } from '../api/index.js';
import { jpegFault } from './jpeg-faults.js';
import { jpegParts } from './jpeg-parts.js';
import { holdsCoefficients } from './jpeg-progression.js';
import type { Size } from './pixels.js';
import { isInterlaced, pngFault, readPngSize, wrongChecksum } from './png-parts.js';

/** What can be told of a file without decoding it. */
interface Inspected {
  /** The size in the header; null if it cannot be read. */
  readonly size: Size | null;
  /** `animated`, or why it cannot be decoded: the predicate of a sentence. Null: it seems to be one complete image. */
  readonly fault: 'animated' | { readonly predicate: string } | null;
  /** How often the time of an ordinary image of its size decoding takes. */
  readonly passes: number;
  /** Whether no pixel is complete before the end of the file, so that the decoder holds all of them in memory. */
  readonly heldWhole: boolean;
}

interface FormatReader {
  /** The first bytes of every file of the format. */
  readonly magic: Buffer;
  inspect(bytes: Buffer): Inspected;
  /** Why a file without another fault must not be decoded by its checksums. Null: they agree, or it has none. */
  wrongChecksum(bytes: Buffer): string | null;
}

/** The supported formats (contract 2.3). Reads the structure only; nothing is decoded. */
export const FORMAT_READERS: Readonly<Record<ImageFormat, FormatReader>> = {
  png: {
    magic: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    inspect: (bytes) => ({
      size: readPngSize(bytes),
      fault: pngFault(bytes),
      passes: 1,
      heldWhole: isInterlaced(bytes),
    }),
    wrongChecksum,
  },
  jpeg: { magic: Buffer.from([0xff, 0xd8]), inspect: inspectJpeg, wrongChecksum: () => null },
};

/** The format of a file by its first bytes; null: not a supported one. */
export function formatOf(bytes: Buffer): ImageFormat | null {
  const begins = ({ magic }: FormatReader) => bytes.subarray(0, magic.length).equals(magic);
  return Object.values(IMAGE_FORMATS).find((format) => begins(FORMAT_READERS[format])) ?? null;
}

/** Four scans of a progressive JPEG take as long as a JPEG of one scan. */
const SCANS_OF_A_PASS = 4;

function inspectJpeg(bytes: Buffer): Inspected {
  const parts = jpegParts(bytes);
  const predicate = jpegFault(parts);
  const passes = Math.max(1, parts.scans / SCANS_OF_A_PASS);
  return {
    size: parts.frame,
    fault: predicate === null ? null : { predicate },
    passes,
    heldWhole: holdsCoefficients(bytes, parts),
  };
}
