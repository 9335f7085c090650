import { SEQUENTIAL } from './jpeg-faults.js';
import { type JpegParts, jpegParts, START_OF_SCAN } from './jpeg-parts.js';

/** Lines of a block, and of a strip of libvips. */
const BLOCK_LINES = 8;
/** Lines that are added at most: to whole groups of four blocks. */
export const LINES_BEHIND_MAX = 4 * BLOCK_LINES;
/** Offsets of the height and of the components in a frame header. */
const HEIGHT = 1;
const COMPONENTS = 6;

/**
 * Makes a JPEG taller, so that what the decoder warns of in its last lines refuses it as well. libvips decodes strips of 8
 * lines and looks for warnings before each strip, never behind the last one. The lines that are added must be cut off.
 *
 * - A file of several scans is read completely before the first strip: nothing to do.
 * - Groups of blocks with 8 lines: one row of groups is added. It has no data, of which the decoder warns in the last strip.
 * - Larger groups: the decoder reads all of the last group at its first strip, or earlier, so the height is rounded up to
 *   whole groups. Where the decoder smooths colours downward, the lines behind an image would change its last ones; it reads
 *   one group ahead there, and finds each warning in time.
 */
export function withLinesBehind(file: Buffer): Buffer {
  const parts = jpegParts(file);
  const frame = parts.segments.find(({ marker }) => marker === parts.frame?.marker);
  if (frame === undefined || !SEQUENTIAL.includes(parts.frame?.marker ?? 0)) return file;
  const content = file.subarray(frame.start, frame.end);
  const factors = factorsOf(content);
  if (factors === null || hasSeveralScans(file, parts, factors.length)) return file;
  const isSingle = factors.length === 1;
  if (!isSingle && isSmoothedDownward(factors)) return file;
  const down = isSingle ? 1 : Math.max(...factors.map((each) => each.down));
  const lines = BLOCK_LINES * down;
  const whole = Math.ceil(content.readUInt16BE(HEIGHT) / lines) * lines;
  const copy = Buffer.from(file);
  copy.writeUInt16BE(down === 1 ? whole + lines : whole, frame.start + HEIGHT);
  // A single component has no groups: its factors mean nothing, but would make the decoder's rows larger.
  if (isSingle) copy[frame.start + COMPONENTS + 1] = 0x11;
  return copy;
}

interface Factors {
  readonly across: number;
  readonly down: number;
}

/** The sampling factors of the components; null: the header is too short. */
function factorsOf(content: Buffer): Factors[] | null {
  const count = content[COMPONENTS - 1] ?? 0;
  if (count === 0 || content.length < COMPONENTS + 3 * count) return null;
  return Array.from({ length: count }, (_, at) => {
    const both = content[COMPONENTS + 3 * at + 1] as number;
    return { across: both >> 4, down: both & 15 };
  });
}

/** Whether the decoder computes lines of a component between those it has (`need_context_rows` of libjpeg-turbo). */
function isSmoothedDownward(factors: readonly Factors[]): boolean {
  const across = Math.max(...factors.map((each) => each.across));
  const down = Math.max(...factors.map((each) => each.down));
  return factors.some(
    (each) => 2 * each.down === down && (each.across === across || 2 * each.across === across),
  );
}

/** As the decoder sees it: the first scan lacks a component. */
function hasSeveralScans(file: Buffer, { segments }: JpegParts, components: number): boolean {
  const scan = segments.find(({ marker }) => marker === START_OF_SCAN);
  return scan === undefined || (file[scan.start] ?? 0) < components;
}
