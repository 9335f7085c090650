/**
 * The encoding of a key's part: `text` is UTF-8 followed by a NUL byte, `number` is 4 bytes, big-endian. Numbers from LONG on
 * take 12: the 4 bytes of LONG, then the number in 8 bytes. The order of the keys is that of the numbers.
 */
type KeyPartKind = 'text' | 'number';
export type KeyPart = string | number;

/** The smallest number with 12 bytes. */
const LONG = 0xffff_ffff;

/** The parts of a table's keys, in order, such as `workspace, day`. */
export type KeyLayout = ReadonlyArray<readonly [name: string, kind: KeyPartKind]>;

/**
 * The bytes of a key, or of a prefix if there are fewer parts than in the layout. Keys sort by their parts. No text
 * contains a NUL byte, because the program itself generates ids and days.
 */
export function encodeKey(layout: KeyLayout, parts: readonly KeyPart[]): Buffer {
  return Buffer.concat(
    parts.map((part, index) => {
      const kind = layout[index]?.[1];
      if (kind === 'text' && typeof part === 'string' && !part.includes('\0'))
        return Buffer.from(`${part}\0`);
      if (kind === 'number' && Number.isSafeInteger(part)) return numberBytes(part as number);
      throw new Error(`part ${index} of the key does not match its layout`);
    }),
  );
}

function numberBytes(value: number): Buffer {
  const isLong = value >= LONG;
  const bytes = Buffer.alloc(isLong ? 12 : 4);
  bytes.writeUInt32BE(isLong ? LONG : value);
  if (isLong) bytes.writeBigUInt64BE(BigInt(value), 4);
  return bytes;
}

/** The parts of a complete key. */
export function decodeKey(layout: KeyLayout, key: Buffer): KeyPart[] {
  let at = 0;
  return layout.map(([, kind]) => {
    if (kind === 'number') {
      const number = key.readUInt32BE(at);
      at += 4;
      if (number < LONG) return number;
      at += 8;
      return Number(key.readBigUInt64BE(at - 8));
    }
    const end = key.indexOf(0, at);
    const text = key.toString('utf8', at, end);
    at = end + 1;
    return text;
  });
}

/** The smallest key greater than all keys that begin with `prefix`; undefined if there is none. */
export function endOfPrefix(prefix: Buffer): Buffer | undefined {
  for (let at = prefix.length - 1; at >= 0; at -= 1) {
    const byte = prefix[at] as number;
    if (byte < 0xff) return Buffer.concat([prefix.subarray(0, at), Buffer.of(byte + 1)]);
  }
  return undefined;
}
