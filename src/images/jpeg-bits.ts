import { MARKER } from './jpeg-parts.js';

/** The entropy-coded data cannot be what an encoder wrote. */
export class Damaged extends Error {
  override readonly name = 'Damaged';
}

/** The length and the symbol of the code that the next 16 bits begin with: length × 256 + symbol; 0: none. */
export type HuffmanTable = Uint16Array;

/** Builds a table from the content of a DHT segment (ITU T.81, B.2.4.2): `counts` of codes by length, then symbols. */
export function huffmanTable(counts: Uint8Array, symbols: Uint8Array): HuffmanTable {
  const table = new Uint16Array(65_536);
  let [code, at] = [0, 0];
  for (let length = 1; length <= 16; length += 1) {
    for (let count = counts[length - 1] as number; count > 0; count -= 1, code += 1, at += 1) {
      const shift = 16 - length;
      if (code >= 1 << length) throw new Damaged();
      table.fill(length * 256 + (symbols[at] as number), code << shift, (code + 1) << shift);
    }
    code <<= 1;
  }
  return table;
}

/** Reads the bits between two markers of a scan. Throws Damaged where they are no code, or end too early. */
export class JpegBits {
  private bits = 0;
  private count = 0;
  /** How many of the `count` bits are behind the last byte: they stand for nothing. */
  private beyond = 0;
  private pushed = 0;
  /** By the number of a byte modulo 8: where it ends in the file. */
  private readonly ends = new Int32Array(8);

  constructor(
    private readonly bytes: Uint8Array,
    private at: number,
  ) {}

  decode(table: HuffmanTable): number {
    if (this.count < 16) this.fill();
    const entry = table[(this.bits >>> (this.count - 16)) & 0xffff] as number;
    if (entry === 0) throw new Damaged();
    this.take(entry >> 8);
    return entry & 0xff;
  }

  /** At most 16 bits. */
  read(length: number): number {
    if (length === 0) return 0;
    if (this.count < length) this.fill();
    const value = (this.bits >>> (this.count - length)) & ((1 << length) - 1);
    this.take(length);
    return value;
  }

  /** Where the last byte ends of which a bit was read. */
  get position(): number {
    return this.ends[(this.pushed - 1 - ((this.count - this.beyond) >> 3)) & 7] as number;
  }

  /** The same, behind the last code: the rest of that byte must be filled with bits of one value. */
  end(): number {
    const rest = (this.count - this.beyond) % 8;
    const filling = (this.bits >>> (this.count - rest)) & ((1 << rest) - 1);
    if (rest > 0 && filling !== 0 && filling !== (1 << rest) - 1) throw new Damaged();
    return this.position;
  }

  private take(length: number): void {
    this.count -= length;
    if (this.count < this.beyond) throw new Damaged();
  }

  private fill(): void {
    while (this.count <= 24) {
      const byte = this.bytes[this.at];
      const isEnd = byte === undefined || (byte === MARKER && this.bytes[this.at + 1] !== 0);
      this.bits = (this.bits << 8) | (isEnd ? 0 : byte);
      this.count += 8;
      if (isEnd) {
        this.beyond += 8;
        continue;
      }
      this.at += byte === MARKER ? 2 : 1;
      this.ends[this.pushed & 7] = this.at;
      this.pushed += 1;
    }
  }
}
