import { LIMITS } from '../api/index.js';
import { type JpegParts, START_OF_SCAN } from './jpeg-parts.js';
import { PROGRESSIVE } from './jpeg-progression.js';

/** SOF0 and SOF1: one pass over the pixels, with Huffman codes. */
export const SEQUENTIAL: readonly number[] = [0xc0, 0xc1];
/** SOF9 and SOF10. No browser reads them, and they take ten times as long as Huffman codes. */
const ARITHMETIC = [0xc9, 0xca];
const BITS = 8;

/** What the structure says against reading a JPEG: the predicate of a sentence. Null: nothing. */
export function jpegFault({ frame, scans, markers, ending }: JpegParts): string | null {
  if (frame === null) return null;
  const { marker, precision } = frame;
  if (ARITHMETIC.includes(marker)) return 'uses arithmetic coding, which is not supported';
  if (marker !== PROGRESSIVE && !SEQUENTIAL.includes(marker)) {
    return 'is a lossless or hierarchical JPEG, which is not supported';
  }
  if (precision !== BITS) return `has ${precision} bits per sample; only ${BITS} are supported`;
  if (scans > LIMITS.jpegScans) return `has ${scans} scans; the limit is ${LIMITS.jpegScans}`;
  if (markers > LIMITS.jpegMarkers) return `has more than the limit of ${LIMITS.jpegMarkers} markers`;
  return ending !== null ? null : 'is truncated';
}

const JFIF = Buffer.from('JFIF\0', 'latin1');
const APP0 = 0xe0;
/** Length of the content of a JFIF segment that decoders recognise, in bytes. */
const JFIF_BYTES = 14;
const JFIF_MAJOR = 1;
/** Ss, Se, and Ah with Al: in a sequential scan they have one value each. */
const SEQUENTIAL_SCAN = Buffer.from([0, 63, 0]);

/**
 * Removes what libjpeg warns of and no pixel depends on, so that every warning left is a loss: a version of JFIF other than
 * 1, scan parameters of a sequential JPEG, which have no meaning there, and padding between segments. Returns the same
 * bytes if there is nothing to repair.
 */
export function repairedJpeg(bytes: Buffer, parts: JpegParts): Buffer {
  const patches: { at: number; bytes: Buffer }[] = [];
  for (const { marker, start, end } of parts.segments) {
    const content = bytes.subarray(start, end);
    if (marker === APP0 && content.length >= JFIF_BYTES && content.subarray(0, JFIF.length).equals(JFIF)) {
      patches.push({ at: start + JFIF.length, bytes: Buffer.from([JFIF_MAJOR]) });
    }
    const isSequential = parts.frame !== null && SEQUENTIAL.includes(parts.frame.marker);
    if (marker === START_OF_SCAN && isSequential && content.length === 4 + 2 * (content[0] ?? 0)) {
      patches.push({ at: end - SEQUENTIAL_SCAN.length, bytes: SEQUENTIAL_SCAN });
    }
  }
  const changes = patches.filter(
    (patch) => !bytes.subarray(patch.at).subarray(0, patch.bytes.length).equals(patch.bytes),
  );
  const cuts = parts.padding.filter(({ start, end }) => isPadding(bytes.subarray(start, end)));
  if (changes.length === 0 && cuts.length === 0) return bytes;
  const copy = Buffer.from(bytes);
  for (const change of changes) copy.set(change.bytes, change.at);
  return without(copy, cuts);
}

/** False for what may be a segment whose marker is damaged: a table that is lost changes pixels. */
function isPadding(bytes: Buffer): boolean {
  if (bytes.includes(0xff)) return false;
  return bytes.length < 4 || (bytes[1] as number) < 0xc0 || bytes.readUInt16BE(2) + 2 > bytes.length;
}

/** The bytes outside the cuts, which are in order. */
export function without(
  bytes: Buffer,
  cuts: ReadonlyArray<{ readonly start: number; readonly end: number }>,
): Buffer {
  const kept = cuts.map(({ start }, index) => bytes.subarray(cuts[index - 1]?.end ?? 0, start));
  return Buffer.concat([...kept, bytes.subarray(cuts.at(-1)?.end ?? 0)]);
}
