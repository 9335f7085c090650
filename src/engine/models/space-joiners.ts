import { closeSync, openSync, readSync } from 'node:fs';

/** The tokenizer whose texts are only cut at line breaks, so that its merges alone decide where tokens end. */
const TOKENIZER = 'gemma4';
/** Gemma 3 has one joiner. With more, texts would hardly be cut. */
const JOINERS_MAX = 64;
const ARRAY = 9;
const STRING = 8;
/** Bytes of the values of each type of GGUF; strings and arrays state their length. */
const SIZES: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};
const BUFFER_BYTES = 1 << 20;
/** Longer strings and lists are not those of a vocabulary. */
const LENGTH_MAX = 1 << 30;
const WRITTEN_SPACE = Buffer.from('\u2581');

/**
 * The characters that a merge of a vocabulary may join to a space after them: elsewhere, no token holds a space and the
 * character before it. Null if that is not known: for other tokenizers, whose texts are cut by rules besides the merges,
 * for a vocabulary with many such characters, and for a file that cannot be read as expected.
 *
 * @param path a GGUF
 */
export function spaceJoiners(path: string): string | null {
  const file = openSync(path, 'r');
  try {
    return joinersOf(new Reader(file));
  } catch (error) {
    if (error instanceof Unexpected) return null;
    throw error;
  } finally {
    closeSync(file);
  }
}

function joinersOf(reader: Reader): string | null {
  if (reader.bytes(4).toString('latin1') !== 'GGUF' || reader.uint32() < 2) return null;
  reader.length();
  let isKnown = false;
  let joiners: string | null = null;
  for (let left = reader.length(); left > 0; left--) {
    const key = reader.string().toString();
    const type = reader.uint32();
    if (key === 'tokenizer.ggml.model' && type === STRING) {
      // The rest of the file is not needed: the vocabulary may have hundreds of thousands of entries.
      if (reader.string().toString() !== TOKENIZER) return null;
      isKnown = true;
    } else if (key === 'tokenizer.ggml.merges' && type === ARRAY) joiners = readMerges(reader);
    else skip(reader, type);
  }
  return isKnown ? joiners : null;
}

/** Two symbols that are joined, with a space between them. The first has at least one character, which may be a space. */
function readMerges(reader: Reader): string | null {
  if (reader.uint32() !== STRING) throw new Unexpected();
  const found = new Set<string>();
  for (let left = reader.length(); left > 0; left--) {
    const merge = reader.string();
    const end = merge.indexOf(0x20, 1);
    if (end < 0 || !beginsWithSpace(merge.subarray(end + 1))) continue;
    const first = merge.subarray(0, end);
    if (first.subarray(-WRITTEN_SPACE.length).equals(WRITTEN_SPACE)) continue;
    found.add([...first.toString()].at(-1) ?? '');
  }
  return found.size > JOINERS_MAX ? null : [...found].join('');
}

const beginsWithSpace = (symbol: Buffer) => symbol.subarray(0, WRITTEN_SPACE.length).equals(WRITTEN_SPACE);

function skip(reader: Reader, type: number): void {
  if (type === STRING) {
    reader.string();
    return;
  }
  if (type !== ARRAY) {
    reader.bytes(sizeOf(type));
    return;
  }
  const element = reader.uint32();
  const length = reader.length();
  for (let left = length; left > 0; left--) skip(reader, element);
}

function sizeOf(type: number): number {
  const size = SIZES[type];
  if (size === undefined) throw new Unexpected();
  return size;
}

/** The file is not as expected. */
class Unexpected extends Error {}

/** Reads a file from its beginning. Throws Unexpected at its end. */
class Reader {
  private buffer = Buffer.alloc(0);
  private at = 0;

  constructor(private readonly file: number) {}

  bytes(count: number): Buffer {
    if (this.at + count > this.buffer.length) this.fill(count);
    const found = this.buffer.subarray(this.at, this.at + count);
    this.at += count;
    return found;
  }

  uint32(): number {
    return this.bytes(4).readUInt32LE();
  }

  length(): number {
    const length = Number(this.bytes(8).readBigUInt64LE());
    if (length > LENGTH_MAX) throw new Unexpected();
    return length;
  }

  /** Valid until the next call. */
  string(): Buffer {
    return this.bytes(this.length());
  }

  private fill(count: number): void {
    const rest = this.buffer.subarray(this.at);
    const next = Buffer.alloc(Math.max(BUFFER_BYTES, count));
    rest.copy(next);
    const read = readSync(this.file, next, rest.length, next.length - rest.length, null);
    this.buffer = next.subarray(0, rest.length + read);
    this.at = 0;
    if (this.buffer.length < count) throw new Unexpected();
  }
}
