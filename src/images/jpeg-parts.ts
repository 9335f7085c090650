import { LIMITS } from '../api/index.js';
import type { Size } from './pixels.js';

/** A marker segment of a JPEG. */
interface JpegSegment {
  readonly marker: number;
  /** Where its content begins, behind marker and length. */
  readonly start: number;
  readonly end: number;
}

/** The frame header of a JPEG (ITU T.81, B.2.2). */
interface JpegFrame extends Size {
  readonly marker: number;
  readonly precision: number;
  /** 1 for grey, 3 for colours, 4 for CMYK. */
  readonly components: number;
}

/** The structure of a JPEG, up to its end marker. */
export interface JpegParts {
  /** Null if there is none before the first scan. */
  readonly frame: JpegFrame | null;
  readonly segments: readonly JpegSegment[];
  /** Bytes between two segments that belong to neither. */
  readonly padding: ReadonlyArray<{ readonly start: number; readonly end: number }>;
  readonly scans: number;
  /** Markers outside of scans. Reading stops beyond the limit. */
  readonly markers: number;
  /** Where the end marker stands; null if there is none. */
  readonly ending: number | null;
}

export const MARKER = 0xff;
export const END_OF_IMAGE = 0xd9;
export const START_OF_SCAN = 0xda;
const START_OF_IMAGE = 0xd8;
/** Markers from C0 to CF that do not begin a frame: DHT, JPG, DAC. */
const NO_FRAME = [0xc4, 0xc8, 0xcc];

export const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7;
/** TEM and RST0 to RST7 have no length. */
const standsAlone = (marker: number) => marker === 0x01 || isRestart(marker);
const startsFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && !NO_FRAME.includes(marker);

/**
 * Finds the segments of a JPEG without decoding anything. As decoders do, it takes the first FF with a code behind it for
 * the next marker, whatever stands before. A thumbnail is inside a segment and is skipped. Takes time in proportion to the
 * file.
 */
export function jpegParts(bytes: Buffer): JpegParts {
  const segments: JpegSegment[] = [];
  const padding: { start: number; end: number }[] = [];
  let frame: JpegFrame | null = null;
  let [scans, markers] = [0, 0];
  let ending: number | null = null;
  for (let at = 2; markers <= LIMITS.jpegMarkers; markers += 1) {
    const behind = segments.at(-1)?.marker === START_OF_SCAN;
    const found = nextMarker(bytes, at, behind);
    if (found === null) break;
    const { marker } = found;
    // Between a scan and its next marker are its pixels.
    if (!behind && found.at > at) padding.push({ start: at, end: found.at });
    at = found.end;
    if (marker === END_OF_IMAGE) ending = found.at;
    if (marker === END_OF_IMAGE || marker === START_OF_IMAGE) break;
    if (standsAlone(marker)) continue;
    if (at + 2 > bytes.length) break;
    const segment = { marker, start: at + 2, end: at + Math.max(2, bytes.readUInt16BE(at)) };
    at = segment.end;
    segments.push(segment);
    if (marker === START_OF_SCAN) scans += 1;
    if (startsFrame(marker) && frame === null && scans === 0) frame = readFrame(bytes, segment);
  }
  return { frame, segments, padding, scans, markers, ending };
}

/**
 * The next marker: `at` is its first FF, of which there may be any number, `end` is behind its code. Null: none.
 *
 * @param inScan restart markers belong to the scan and are skipped
 */
export function nextMarker(
  bytes: Buffer,
  from: number,
  inScan: boolean,
): { readonly marker: number; readonly at: number; readonly end: number } | null {
  for (let at = from; at < bytes.length; at += 1) {
    if (bytes[at] !== MARKER) continue;
    let code = at + 1;
    while (bytes[code] === MARKER) code += 1;
    const marker = bytes[code];
    if (marker === undefined) return null;
    if (marker !== 0 && !(inScan && isRestart(marker))) return { marker, at, end: code + 1 };
    at = code;
  }
  return null;
}

function readFrame(bytes: Buffer, { marker, start }: JpegSegment): JpegFrame | null {
  if (start + 6 > bytes.length) return null;
  return {
    marker,
    precision: bytes.readUInt8(start),
    height: bytes.readUInt16BE(start + 1),
    width: bytes.readUInt16BE(start + 3),
    components: bytes.readUInt8(start + 5),
  };
}
