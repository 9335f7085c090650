/** A tensor as the header of a file describes it. */
export interface TensorInfo {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: number;
  /** Where its data starts in the file. */
  readonly start: number;
}

/** What a GGUF file says about itself. */
export interface Header {
  readonly magic: string;
  readonly version: number;
  readonly metadata: ReadonlyMap<string, unknown>;
  readonly tensors: readonly TensorInfo[];
}

/** Reads the header of a GGUF file, by the format's description and with no code of the writer. */
export function parseGguf(file: Buffer): Header {
  let at = 0;
  const take = (bytes: number) => {
    at += bytes;
    return at - bytes;
  };
  const u32 = () => file.readUInt32LE(take(4));
  const u64 = () => Number(file.readBigUInt64LE(take(8)));
  const text = () => {
    const length = u64();
    return file.toString('utf8', take(length), at);
  };
  const value = (type: number): unknown => {
    if (type === 9) {
      const inner = u32();
      return Array.from({ length: u64() }, () => value(inner));
    }
    return (readers[type] as () => unknown)();
  };
  const readers: Record<number, () => unknown> = {
    0: () => file.readUInt8(take(1)),
    1: () => file.readInt8(take(1)),
    2: () => file.readUInt16LE(take(2)),
    3: () => file.readInt16LE(take(2)),
    4: u32,
    5: () => file.readInt32LE(take(4)),
    6: () => file.readFloatLE(take(4)),
    7: () => file.readUInt8(take(1)) === 1,
    8: text,
    10: () => file.readBigUInt64LE(take(8)),
    11: () => file.readBigInt64LE(take(8)),
    12: () => file.readDoubleLE(take(8)),
  };
  const magic = file.toString('latin1', take(4), at);
  const version = u32();
  const tensorCount = u64();
  const metadata = new Map(Array.from({ length: u64() }, () => [text(), value(u32())] as const));
  const found = Array.from({ length: tensorCount }, () => ({
    name: text(),
    shape: Array.from({ length: u32() }, u64),
    type: u32(),
    start: u64(),
  }));
  const base = Math.ceil(at / 32) * 32;
  return { magic, version, metadata, tensors: found.map((one) => ({ ...one, start: base + one.start })) };
}
