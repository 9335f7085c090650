import { Damaged, JpegBits } from './jpeg-bits.js';
import { SEQUENTIAL, without } from './jpeg-faults.js';
import {
  END_OF_IMAGE,
  isRestart,
  type JpegParts,
  jpegParts,
  nextMarker,
  START_OF_SCAN,
} from './jpeg-parts.js';
import { type Frame, readFrame, readScan, readTables, type Scan, type Tables } from './jpeg-scan.js';

const DEFINE_TABLES = 0xc4;
const DEFINE_INTERVAL = 0xdd;
const RESTART_0 = 0xd0;

/** Reading every code takes longer than decoding, and cameras write smaller files of at most 1,568 pixels on a side. */
export const STRAY_FILE_BYTES_MAX = 4 * 1024 * 1024;

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The decoder's first warning of bytes without a meaning, between pixels and a marker. */
export interface StrayWarning {
  readonly bytes: number;
  readonly marker: number;
}

/**
 * Cuts bytes out of a JPEG that stand between the end of pixels and the next marker, as some cameras write them. The decoder
 * names only the first such place. In a sequential JPEG, every code is read to find where the pixels end, and none is
 * computed; in a progressive one, only padding before the end marker is cut. Null: something is missing, or is not as an
 * encoder writes it, or the file is larger than `STRAY_FILE_BYTES_MAX`. The result must be decoded, which finds what is
 * missing then.
 *
 * JPEG has no checksums. A damaged code usually changes pixels without any trace; sometimes it leaves bytes over, which are
 * told from stray ones as far as possible.
 */
export function withoutStrayBytes(file: Buffer, warning: StrayWarning): Buffer | null {
  if (file.length > STRAY_FILE_BYTES_MAX) return null;
  const parts = jpegParts(file);
  try {
    const isSequential = parts.frame !== null && SEQUENTIAL.includes(parts.frame.marker);
    return without(file, isSequential ? strayBytes(file, parts) : paddingAtEnd(file, parts, warning));
  } catch (error) {
    if (error instanceof Damaged) return null;
    throw error;
  }
}

/** The padding before the end marker, if the decoder has found no other bytes without a meaning. Throws Damaged. */
function paddingAtEnd(file: Buffer, parts: JpegParts, { bytes, marker }: StrayWarning): Range[] {
  if (marker !== END_OF_IMAGE || parts.ending === null) throw new Damaged();
  const padding = { start: parts.ending - bytes, end: parts.ending };
  if (padding.start < (parts.segments.at(-1)?.end ?? 0) || !isOneValue(file, padding)) throw new Damaged();
  return [padding];
}

function strayBytes(file: Buffer, parts: JpegParts): Range[] {
  const cuts: Range[] = [];
  const tables: Tables = [[], []];
  let frame: Frame | null = null;
  let interval = 0;
  for (const { marker, start, end } of parts.segments) {
    const content = file.subarray(start, end);
    if (marker === parts.frame?.marker) frame = readFrame(content);
    if (marker === DEFINE_TABLES) readTables(content, tables);
    if (marker === DEFINE_INTERVAL) {
      if (content.length !== 2) throw new Damaged();
      interval = content.readUInt16BE();
    }
    if (marker !== START_OF_SCAN) continue;
    if (frame === null) throw new Damaged();
    cuts.push(...strayBytesOf(file, end, readScan(content, frame, tables), interval));
  }
  return cuts;
}

/** Those of one scan, whose pixels begin at `start`. */
function strayBytesOf(file: Buffer, start: number, scan: Scan, interval: number): Range[] {
  const cuts: Range[] = [];
  const length = interval === 0 ? scan.groups : interval;
  let at = start;
  for (let group = 0, restarts = 0; group < scan.groups; group += length, restarts += 1) {
    const isLast = group + length >= scan.groups;
    const bits = new JpegBits(file, at);
    for (let next = group; next < Math.min(group + length, scan.groups); next += 1) scan.readGroup(bits);
    const end = bits.end();
    const marker = nextMarker(file, end, false);
    const wanted = isLast ? null : RESTART_0 + (restarts % 8);
    // A restart marker that is lost looks like stray bytes too: the pixels behind it.
    if (marker === null || (wanted === null ? isRestart(marker.marker) : marker.marker !== wanted)) {
      throw new Damaged();
    }
    if (marker.at > end) {
      const stray = { start: end, end: marker.at };
      if (mayBePixels(file, stray, scan, bits)) throw new Damaged();
      cuts.push(stray);
    }
    at = marker.end;
  }
  return cuts;
}

const isOneValue = (file: Buffer, { start, end }: Range) =>
  end - start > 1 && file.subarray(start, end).every((byte) => byte === file[start]);

/**
 * Whether bytes behind the pixels may be pixels too, of which a damaged code before them has left some over: they are not
 * one repeated value, and end with a group of blocks.
 */
function mayBePixels(file: Buffer, stray: Range, scan: Scan, bits: JpegBits): boolean {
  if (isOneValue(file, stray)) return false;
  try {
    for (;;) {
      scan.readGroup(bits);
      if (bits.position === stray.end) return bits.end() === stray.end;
    }
  } catch (error) {
    if (error instanceof Damaged) return false;
    throw error;
  }
}
