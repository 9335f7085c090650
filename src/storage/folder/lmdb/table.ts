import { nextTurn, type Shape, StoreError, type ValueOf } from '../../../base/index.js';
import { decodeKey, encodeKey, endOfPrefix, type KeyLayout, type KeyPart } from '../../../sealing/index.js';
import { unusable } from '../../data-folder/data-folder.js';
import { type BinaryDatabase, entriesIn } from './environment.js';
import { TABLES, type TableName } from './tables.js';
import type { RawWrite } from './writes.js';

/** The values of a table in memory: JSON of its shape, or ciphertext. */
export type Value<Name extends TableName> = (typeof TABLES)[Name]['value'] extends 'sealed'
  ? Buffer
  : ValueOf<(typeof TABLES)[Name]['value']>;

/** A key, as its parts, and its value. */
export interface TableEntry<Name extends TableName> {
  readonly key: KeyPart[];
  readonly value: Value<Name>;
}

/** A key and its value; null: it is damaged. */
export interface CheckedEntry<Name extends TableName> {
  readonly key: KeyPart[];
  readonly value: Value<Name> | null;
}

/** Which keys `keyBytes` returns. */
interface KeyBytesOptions {
  readonly descending?: boolean;
  /** Only keys behind those that begin with these parts, which are no fewer than those of the prefix. */
  readonly after?: readonly KeyPart[] | undefined;
  readonly offset?: number;
  readonly limit?: number;
}

/** Entries or keys that the `…InTurns` methods read in one turn of the event loop: about 2 ms of either. */
const TURN_ENTRIES = 64;
const TURN_KEYS = 1_024;

/** One table of an open environment. Keys are passed as their parts. */
export class Table<Name extends TableName> {
  private readonly layout: KeyLayout;
  private readonly check: Shape<unknown> | null;

  constructor(
    readonly name: Name,
    private readonly database: BinaryDatabase,
  ) {
    const { key, value } = TABLES[name] as { key: KeyLayout; value: Shape<unknown> | 'sealed' };
    this.layout = key;
    this.check = value === 'sealed' ? null : value;
  }

  /** The bytes of a key. */
  key(...parts: readonly KeyPart[]): Buffer {
    return encodeKey(this.layout, parts);
  }

  /** Throws StoreError if the stored value is damaged. */
  get(...parts: readonly KeyPart[]): Value<Name> | undefined {
    const key = this.key(...parts);
    const bytes = this.guarded(() => this.database.getBinary(key));
    return bytes && this.read(parts, bytes);
  }

  /** All entries whose keys begin with these parts, in the order of their keys. Throws StoreError. */
  entries(...prefix: readonly KeyPart[]): Generator<TableEntry<Name>> {
    return this.range(this.key(...prefix), endOfPrefix(this.key(...prefix)));
  }

  /** All entries whose keys begin with `prefix` and whose next part is at least `first`. */
  entriesFrom(prefix: readonly KeyPart[], first: KeyPart): Generator<TableEntry<Name>> {
    return this.range(this.key(...prefix, first), endOfPrefix(this.key(...prefix)));
  }

  /** Like `entries`, without the values. */
  keys(...prefix: readonly KeyPart[]): Generator<KeyPart[]> {
    return this.rangeOfKeys(this.key(...prefix), endOfPrefix(this.key(...prefix)));
  }

  /** The first part of all keys, each once. */
  *firstParts(): Generator<KeyPart> {
    let start: Buffer | undefined = Buffer.alloc(0);
    while (start !== undefined) {
      const [key] = this.database.getKeys(bounds(start, undefined, 1));
      if (key === undefined) return;
      const [part] = decodeKey(this.layout, key) as [KeyPart];
      yield part;
      start = endOfPrefix(this.key(part));
    }
  }

  /** How many keys begin with these parts, and have a next part that is at least `first`. Throws StoreError. */
  count(prefix: readonly KeyPart[], first?: KeyPart): number {
    const start = first === undefined ? this.key(...prefix) : this.key(...prefix, first);
    const end = endOfPrefix(this.key(...prefix));
    return this.guarded(() => this.database.getKeysCount(bounds(start, end)));
  }

  /**
   * The bytes of the keys that begin with these parts, in their order or the opposite one: to look through many keys. LMDB
   * skips `offset` keys by itself. Throws StoreError.
   */
  *keyBytes(
    prefix: readonly KeyPart[],
    { descending = false, after, offset = 0, limit }: KeyBytesOptions = {},
  ): Generator<Buffer> {
    const part = this.behind(prefix, after, descending);
    if (part === null) return;
    const { first, end } = part;
    const range = descending ? { ...bounds(end, first, limit), reverse: true } : bounds(first, end, limit);
    try {
      yield* this.database.getKeys({ ...range, offset });
    } catch (error) {
      throw this.unusable(error);
    }
  }

  /** How many keys `keyBytes` returns with these options. Throws StoreError. */
  countBehind(prefix: readonly KeyPart[], after: readonly KeyPart[], descending: boolean): number {
    const part = this.behind(prefix, after, descending);
    return part === null ? 0 : this.guarded(() => this.database.getKeysCount(bounds(part.first, part.end)));
  }

  /** The last key that begins with these parts. */
  lastKey(...prefix: readonly KeyPart[]): KeyPart[] | undefined {
    const first = this.key(...prefix);
    const [last] = this.database.getKeys({
      ...bounds(endOfPrefix(first), first),
      reverse: true,
      limit: 1,
    });
    return last?.subarray(0, first.length).equals(first) ? decodeKey(this.layout, last) : undefined;
  }

  /**
   * Like `entries`, in turns of the event loop, so that a large table does not block it. Each entry is read once; one
   * that changes meanwhile is read before or after the change. Rejects with StoreError.
   */
  entriesInTurns(...prefix: readonly KeyPart[]): AsyncGenerator<TableEntry<Name>> {
    return this.inTurns(prefix, TURN_ENTRIES, (start, end) => this.range(start, end, TURN_ENTRIES), entryKey);
  }

  /** Like `entriesInTurns`, but a damaged value does not end it. */
  checkedInTurns(...prefix: readonly KeyPart[]): AsyncGenerator<CheckedEntry<Name>> {
    return this.inTurns(
      prefix,
      TURN_ENTRIES,
      (start, end) => this.checked(start, end, TURN_ENTRIES),
      entryKey,
    );
  }

  /**
   * The first entries, up to `max`, whose keys begin with `prefix` and whose next part is at least `first`. Throws StoreError if
   * the table cannot be read.
   */
  checkedPart(prefix: readonly KeyPart[], max: number, first?: KeyPart): CheckedEntry<Name>[] {
    const start = first === undefined ? this.key(...prefix) : this.key(...prefix, first);
    return [...this.checked(start, endOfPrefix(this.key(...prefix)), max)];
  }

  /** Like `entriesInTurns`, without the values. */
  keysInTurns(...prefix: readonly KeyPart[]): AsyncGenerator<KeyPart[]> {
    return this.inTurns(
      prefix,
      TURN_KEYS,
      (start, end) => this.rangeOfKeys(start, end, TURN_KEYS),
      (key) => key,
    );
  }

  /** A write that sets or, with null, removes a key. Throws if the value does not have the table's shape. */
  write(parts: readonly KeyPart[], value: Value<Name> | null): RawWrite {
    if (value !== null && this.check?.(value) === false) {
      throw new Error(`a value does not fit the table ${this.name}`);
    }
    const bytes = value === null || this.check === null ? value : Buffer.from(JSON.stringify(value));
    return { table: this.name, key: this.key(...parts), value: bytes as Buffer | null };
  }

  /** A write that removes all keys from `from` up to, not including, `to`. */
  removal(from: readonly KeyPart[], to: readonly KeyPart[]): RawWrite {
    return { table: this.name, key: this.key(...from), end: this.key(...to), value: null };
  }

  /**
   * Reads every entry, in one turn of the event loop. Returns their number; calls `report` with a sentence for each damaged
   * one, and if some are missing.
   */
  verify(report: (problem: string) => void): number {
    let count = 0;
    try {
      for (const { key, value } of this.database.getRange({})) {
        count += 1;
        const parts = this.partsOf(key);
        if (parts === null) report(`The key ${key.toString('hex')} of the table ${this.name} is damaged.`);
        else if (!this.fits(value)) report(this.damaged(parts));
      }
      const all = entriesIn(this.database);
      if (count !== all) report(`Only ${count} of the ${all} entries of the table ${this.name} can be read.`);
    } catch (error) {
      report(this.unusable(error).message);
    }
    return count;
  }

  /**
   * Replaces every value by what `change` makes of it, for upgrades: the values do not have the table's shape yet. Inside
   * `Store.change` only. Throws StoreError for a value that is not an object.
   */
  rewrite(change: (value: object) => object): void {
    const entries = Array.from(this.database.getRange({}), ({ key, value }) => ({
      parts: decodeKey(this.layout, key),
      value: parse(value),
    }));
    for (const { parts, value } of entries) {
      if (typeof value !== 'object' || value === null) throw new StoreError(this.damaged(parts));
      this.put(parts, change(value) as Value<Name>);
    }
  }

  /** Inside `Store.change` only. */
  put(parts: readonly KeyPart[], value: Value<Name>): void {
    const { key, value: bytes } = this.write(parts, value);
    this.guarded(() => this.database.putSync(key as Buffer, bytes as Buffer));
  }

  /** Inside `Store.change` only. */
  remove(parts: readonly KeyPart[]): void {
    this.guarded(() => this.database.removeSync(this.key(...parts)));
  }

  /** The part of the keys of a prefix that lies behind a place, in either order; null: nothing does. */
  private behind(prefix: readonly KeyPart[], after: readonly KeyPart[] | undefined, descending: boolean) {
    const first = this.key(...prefix);
    const end = endOfPrefix(first);
    if (after === undefined) return { first, end };
    const place = this.key(...after);
    // The place may lie outside of the prefix.
    const [from, to] = descending ? [first, smallest(place, end)] : [largest(endOfPrefix(place), first), end];
    return from === undefined || (to !== undefined && from.compare(to) >= 0)
      ? null
      : { first: from, end: to };
  }

  private *range(start: Buffer, end: Buffer | undefined, limit?: number): Generator<TableEntry<Name>> {
    for (const { key, value } of this.checked(start, end, limit)) {
      if (value === null) throw new StoreError(this.damaged(key));
      yield { key, value };
    }
  }

  private *checked(start: Buffer, end: Buffer | undefined, limit?: number): Generator<CheckedEntry<Name>> {
    try {
      for (const { key, value } of this.database.getRange(bounds(start, end, limit)))
        yield { key: decodeKey(this.layout, key), value: this.valueOf(value) };
    } catch (error) {
      throw this.unusable(error);
    }
  }

  private *rangeOfKeys(start: Buffer, end: Buffer | undefined, limit?: number): Generator<KeyPart[]> {
    for (const key of this.database.getKeys(bounds(start, end, limit))) yield decodeKey(this.layout, key);
  }

  private async *inTurns<Item>(
    prefix: readonly KeyPart[],
    count: number,
    read: (start: Buffer, end: Buffer | undefined) => Iterable<Item>,
    keyOf: (item: Item) => readonly KeyPart[],
  ): AsyncGenerator<Item> {
    let start = this.key(...prefix);
    const end = endOfPrefix(start);
    for (;;) {
      const items = [...read(start, end)];
      yield* items;
      if (items.length < count) return;
      // The smallest key greater than the last one.
      start = Buffer.concat([this.key(...keyOf(items.at(-1) as Item)), Buffer.of(0)]);
      await nextTurn();
    }
  }

  /** Turns LMDB's errors into StoreErrors that name the table. */
  private guarded<Result>(use: () => Result): Result {
    try {
      return use();
    } catch (error) {
      throw this.unusable(error);
    }
  }

  private unusable(error: unknown): StoreError {
    return error instanceof StoreError ? error : unusable(`The table ${this.name}`, error as Error);
  }

  private read(parts: readonly KeyPart[], bytes: Buffer): Value<Name> {
    const value = this.valueOf(bytes);
    if (value === null) throw new StoreError(this.damaged(parts));
    return value;
  }

  /** Null: it is damaged. */
  private valueOf(bytes: Buffer): Value<Name> | null {
    if (this.check === null) return Buffer.from(bytes) as Value<Name>;
    const value = parse(bytes);
    return this.check(value) ? (value as Value<Name>) : null;
  }

  private fits(bytes: Buffer): boolean {
    return this.check === null || this.check(parse(bytes));
  }

  private damaged(parts: readonly KeyPart[]): string {
    return `The value ${parts.join('/')} of the table ${this.name} is damaged.`;
  }

  /** Null if the bytes are not a key of this table. */
  private partsOf(key: Buffer): KeyPart[] | null {
    try {
      const parts = decodeKey(this.layout, key);
      return this.key(...parts).equals(key) ? parts : null;
    } catch {
      return null;
    }
  }
}

const entryKey = ({ key }: { readonly key: readonly KeyPart[] }) => key;

/** lmdb distinguishes an undefined bound from a missing one. */
const bounds = (start: Buffer | undefined, end: Buffer | undefined, limit?: number) => ({
  ...(start !== undefined && { start }),
  ...(end !== undefined && { end }),
  ...(limit !== undefined && { limit }),
});

/** Of two keys, of which undefined is larger than any. */
const smallest = (one: Buffer, other: Buffer | undefined) =>
  other === undefined || one.compare(other) < 0 ? one : other;
const largest = (one: Buffer | undefined, other: Buffer) =>
  one === undefined || one.compare(other) > 0 ? one : other;

/** Undefined, which no shape allows, if the bytes are not JSON. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
