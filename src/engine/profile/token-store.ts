import { LRUCache } from 'lru-cache';

/** Bytes that an entry takes besides its key and its tokens: the entry of the map, the typed array and its buffer. */
const ENTRY_BYTES = 512;
/** A code unit of a string takes one byte or two. */
const UNIT_BYTES = 2;

/** Bytes of an entry. */
export const entryBytes = (key: string, tokens: Int32Array): number =>
  key.length * UNIT_BYTES + tokens.byteLength + ENTRY_BYTES;

/** Tokens by text, bounded in bytes: the least recently used are evicted. What it returns must not be changed. */
export class TokenStore {
  private readonly entries: LRUCache<string, Int32Array>;

  /** @param bytesMax a larger entry is not stored; 0: none is */
  constructor(bytesMax: number) {
    this.entries = new LRUCache({ maxSize: Math.max(1, bytesMax) });
  }

  /** Bytes of all entries. */
  get bytes(): number {
    return this.entries.calculatedSize;
  }

  get(key: string): Int32Array | undefined {
    return this.entries.get(key);
  }

  /** A text is often a part of a body, which would stay in memory with it: the key is a copy. */
  add(key: string, tokens: Int32Array): void {
    const copy = Buffer.from(key).toString();
    // Lone surrogates have no bytes of their own.
    if (copy === key) this.entries.set(copy, tokens, { size: entryBytes(copy, tokens) });
  }
}
