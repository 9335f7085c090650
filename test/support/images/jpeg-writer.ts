import type { Random } from '../random.js';

const SIDE = 288;
/** Luminance alone, or three components. */
type Components = 1 | 3;

export interface WrittenJpeg {
  readonly components?: Components;
  /** By default `SIDE`. */
  readonly lines?: number;
  /** Blocks of the first component in a group, across and down. */
  readonly group?: readonly [across: number, down: number];
  /** Groups between restart markers; 0: no markers. */
  readonly interval?: number;
  /** Bytes before the restart marker, or the end, with a number; undefined: none. */
  readonly stray?: (marker: number) => readonly number[] | undefined;
  /** The number of a restart marker that is left out. */
  readonly without?: number;
}

const segment = (marker: number, ...bytes: readonly number[]) => [
  0xff,
  marker,
  (bytes.length + 2) >> 8,
  (bytes.length + 2) & 255,
  ...bytes,
];
/** Sixteen symbols, all with codes of five bits, or one with a code of one bit. */
const sizes = Array.from({ length: 12 }, (_, size) => size);
const dcTable = segment(0xc4, 0x00, 0, 0, 0, 0, sizes.length, ...Array(11).fill(0), ...sizes);
const acTable = segment(0xc4, 0x10, 1, ...Array(15).fill(0), 0);

/** Writes codes of Huffman tables, with 1 bits up to the next byte at the end. */
function scanBytes(bits: string): number[] {
  const filled = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1');
  const bytes = filled.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [];
  return bytes.flatMap((byte) => (byte === 0xff ? [byte, 0] : [byte]));
}

/** The code of a difference to the block before, then that nothing else follows in the block. */
function block(difference: number): string {
  const size = difference === 0 ? 0 : 32 - Math.clz32(Math.abs(difference));
  const value = difference > 0 ? difference : difference + 2 ** size - 1;
  const digits = size === 0 ? '' : value.toString(2).padStart(size, '0');
  return `${size.toString(2).padStart(5, '0')}${digits}0`;
}

/** Writes a JPEG, by default of 288 × 288 pixels, each block of one random colour, with restart markers and what cameras put before them. */
export function writtenJpeg(
  next: Random,
  {
    components = 1,
    lines = SIDE,
    group = [1, 1],
    interval = 0,
    stray = () => undefined,
    without,
  }: WrittenJpeg = {},
): Buffer {
  const ids = Array.from({ length: components }, (_, at) => at + 1);
  const [across, down] = components === 1 ? [1, 1] : group;
  const groups = Math.ceil(SIDE / 8 / across) * Math.ceil(lines / 8 / down);
  const scan: number[] = [];
  const length = interval === 0 ? groups : interval;
  for (let first = 0, marker = 0; first < groups; first += length, marker += 1) {
    let bits = '';
    const levels = ids.map(() => 0);
    for (let at = first; at < Math.min(first + length, groups); at += 1) {
      for (const index of ids.keys()) {
        for (let count = index === 0 ? across * down : 1; count > 0; count -= 1) {
          const wanted = next.integer(200) - 100;
          bits += block(wanted - (levels[index] as number));
          levels[index] = wanted;
        }
      }
    }
    scan.push(...scanBytes(bits), ...(stray(marker) ?? []));
    if (first + length < groups && marker !== without) scan.push(0xff, 0xd0 + (marker % 8));
  }
  return Buffer.from([
    0xff,
    0xd8,
    ...segment(0xe0, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0),
    ...segment(0xdb, 0, ...Array(64).fill(8)),
    ...segment(
      0xc0,
      8,
      lines >> 8,
      lines & 255,
      SIDE >> 8,
      SIDE & 255,
      components,
      ...ids.flatMap((id) => [id, id === 1 ? (group[0] << 4) | group[1] : 0x11, 0]),
    ),
    ...dcTable,
    ...acTable,
    ...(interval === 0 ? [] : segment(0xdd, interval >> 8, interval & 255)),
    ...segment(0xda, components, ...ids.flatMap((id) => [id, 0]), 0, 63, 0),
    ...scan,
    0xff,
    0xd9,
  ]);
}
