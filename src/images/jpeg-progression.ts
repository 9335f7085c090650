import { type JpegParts, START_OF_SCAN } from './jpeg-parts.js';

/** SOF2: several scans, with Huffman codes. */
export const PROGRESSIVE = 0xc2;
/** Offset of the number of components in a frame header; each has three bytes behind it, the first of which is its id. */
const COMPONENTS = 5;
/** Coefficients of a block of 8 × 8 pixels. */
const COEFFICIENTS = 64;
const NOT_SENT = 255;

/** Whether the decoder reads all scans before it computes a pixel, and holds what they say (`has_multiple_scans` of libjpeg). */
export function holdsCoefficients(bytes: Buffer, { frame, segments }: JpegParts): boolean {
  const header = segments.find(({ marker }) => marker === frame?.marker);
  const scan = segments.find(({ marker }) => marker === START_OF_SCAN);
  if (header === undefined || scan === undefined) return false;
  return header.marker === PROGRESSIVE || (bytes[scan.start] ?? 0) < (bytes[header.start + COMPONENTS] ?? 0);
}

/**
 * Whether the scans of a progressive JPEG leave bits of its coefficients out, as if it was cut between two scans: decoders
 * show it blurred, without a warning. Each scan sends a range of coefficients of some components, down to a bit (ITU-T
 * T.81, G.1.1.1).
 */
export function lacksScans(bytes: Buffer, { frame, segments }: JpegParts): boolean {
  const header = segments.find(({ marker }) => marker === PROGRESSIVE);
  if (frame?.marker !== PROGRESSIVE || header === undefined) return false;
  const content = bytes.subarray(header.start, header.end);
  /** By the id of a component: the lowest bit that was sent of each coefficient. */
  const lowest = new Map<number, Uint8Array>();
  for (let at = COMPONENTS + 1; at < COMPONENTS + 1 + 3 * (content[COMPONENTS] ?? 0); at += 3)
    lowest.set(content[at] ?? 0, new Uint8Array(COEFFICIENTS).fill(NOT_SENT));
  for (const { marker, start, end } of segments) {
    if (marker !== START_OF_SCAN) continue;
    const scan = bytes.subarray(start, end);
    const count = scan[0] ?? 0;
    const [first = 0, last = 0, approximation = 0] = scan.subarray(1 + 2 * count);
    for (let at = 0; at < count; at += 1)
      lowest.get(scan[1 + 2 * at] as number)?.fill(approximation & 15, first, last + 1);
  }
  return [...lowest.values()].some((bits) => bits.some((bit) => bit !== 0));
}
