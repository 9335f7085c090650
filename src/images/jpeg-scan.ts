import { Damaged, type HuffmanTable, huffmanTable, type JpegBits } from './jpeg-bits.js';
import type { Size } from './pixels.js';

/** A component of the frame, such as the luminance. */
interface Component {
  readonly id: number;
  /** Blocks of 8 × 8 pixels in a group, across and down. */
  readonly across: number;
  readonly down: number;
  /** Blocks that have pixels: in a scan of this component alone there are no others. */
  readonly own: Size;
}

/** A frame header (ITU T.81, B.2.2). */
export interface Frame {
  /** Groups of blocks, across and down. */
  readonly groups: Size;
  readonly components: readonly Component[];
}

/** Huffman tables by their number; DC first, then AC. */
export type Tables = readonly [(HuffmanTable | undefined)[], (HuffmanTable | undefined)[]];

/** A scan of a sequential JPEG. */
export interface Scan {
  /** Groups of blocks between which a restart marker may stand. */
  readonly groups: number;
  /** Reads the codes of one group and computes no values. Throws Damaged. */
  readGroup(bits: JpegBits): void;
}

/** Reads the content of a frame header. Throws Damaged. */
export function readFrame(content: Buffer): Frame {
  const count = content[5] ?? 0;
  if (count === 0 || count > 4 || content.length < 6 + 3 * count) throw new Damaged();
  const [height, width] = [content.readUInt16BE(1), content.readUInt16BE(3)];
  const sides = Array.from({ length: count }, (_, at) => {
    const [id, factors] = [content[6 + 3 * at] as number, content[7 + 3 * at] as number];
    return { id, across: factors >> 4, down: factors & 15 };
  });
  if (sides.some(({ across, down }) => across < 1 || across > 4 || down < 1 || down > 4)) throw new Damaged();
  const most = {
    across: Math.max(...sides.map((c) => c.across)),
    down: Math.max(...sides.map((c) => c.down)),
  };
  const groups = { width: Math.ceil(width / (8 * most.across)), height: Math.ceil(height / (8 * most.down)) };
  const components = sides.map((side) => ({
    ...side,
    own: {
      width: Math.ceil((width * side.across) / most.across / 8),
      height: Math.ceil((height * side.down) / most.down / 8),
    },
  }));
  return { groups, components };
}

/** Adds the tables of a DHT segment. Throws Damaged. */
export function readTables(content: Buffer, tables: Tables): void {
  for (let at = 0; at < content.length; ) {
    const target = content[at] as number;
    const counts = content.subarray(at + 1, at + 17);
    const length = counts.reduce((sum, count) => sum + count, 0);
    const symbols = content.subarray(at + 17, at + 17 + length);
    if (counts.length < 16 || symbols.length < length || target >> 4 > 1 || (target & 15) > 3)
      throw new Damaged();
    tables[(target >> 4) as 0 | 1][target & 15] = huffmanTable(counts, symbols);
    at += 17 + length;
  }
}

/** Reads the content of a scan header (ITU T.81, B.2.3). Throws Damaged. */
export function readScan(content: Buffer, { groups, components }: Frame, tables: Tables): Scan {
  const count = content[0] ?? 0;
  if (count === 0 || count > 4 || content.length !== 4 + 2 * count) throw new Damaged();
  const parts = Array.from({ length: count }, (_, at) => {
    const component = components.find(({ id }) => id === content[1 + 2 * at]);
    const chosen = content[2 + 2 * at] as number;
    const [dc, ac] = [tables[0][chosen >> 4], tables[1][chosen & 15]];
    if (component === undefined || dc === undefined || ac === undefined) throw new Damaged();
    const blocks = count === 1 ? 1 : component.across * component.down;
    return { component, blocks, dc, ac };
  });
  const size = count === 1 ? (parts[0]?.component.own ?? groups) : groups;
  return {
    groups: size.width * size.height,
    readGroup(bits) {
      for (const { blocks, dc, ac } of parts)
        for (let block = 0; block < blocks; block += 1) readBlock(bits, dc, ac);
    },
  };
}

/** Reads the codes of 64 coefficients (ITU T.81, F.2.2). Throws Damaged. */
function readBlock(bits: JpegBits, dc: HuffmanTable, ac: HuffmanTable): void {
  const size = bits.decode(dc);
  if (size > 15) throw new Damaged();
  bits.read(size);
  for (let at = 1; at < 64; at += 1) {
    const code = bits.decode(ac);
    if (code === 0) return;
    at += code >> 4;
    bits.read(code & 15);
    if (at > 63) throw new Damaged();
  }
}
