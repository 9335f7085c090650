import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { BinaryDatabase } from './environment.js';
import { StoreError } from './errors.js';
import { decodeKey, encodeKey, endOfPrefix, type KeyLayout, type Part } from './key-layout.js';
import { TABLES, type TableName } from './tables.js';
import type { RawWrite } from './writer-thread.js';

/** What a table's values are in memory: JSON of the schema, or the sealed bytes. */
export type Value<Name extends TableName> = (typeof TABLES)[Name]['value'] extends 'sealed'
  ? Buffer
  : Static<Exclude<(typeof TABLES)[Name]['value'], 'sealed'>>;

/** One table of an open environment. Keys are given as their parts. */
export class Table<Name extends TableName> {
  private readonly layout: KeyLayout;
  private readonly check: ((value: unknown) => boolean) | null;

  constructor(
    readonly name: Name,
    private readonly database: BinaryDatabase,
  ) {
    const { key, value } = TABLES[name] as { key: KeyLayout; value: TSchema | 'sealed' };
    this.layout = key;
    const schema = value === 'sealed' ? null : Compile(value);
    this.check = schema && ((found) => schema.Check(found));
  }

  /** The key's bytes. */
  key(...parts: readonly Part[]): Buffer {
    return encodeKey(this.layout, parts);
  }

  /** Throws StoreError where the value is not one of this table. */
  get(...parts: readonly Part[]): Value<Name> | undefined {
    const key = this.key(...parts);
    const bytes = this.guarded(() => this.database.getBinary(key));
    return bytes && this.read(parts, bytes);
  }

  /** All entries whose keys begin with these parts, in the order of their keys. Throws StoreError. */
  *entries(...prefix: readonly Part[]): Generator<{ key: Part[]; value: Value<Name> }> {
    const start = this.key(...prefix);
    const end = endOfPrefix(start);
    try {
      for (const { key, value } of this.database.getRange(end === undefined ? { start } : { start, end })) {
        const parts = decodeKey(this.layout, key);
        yield { key: parts, value: this.read(parts, value) };
      }
    } catch (error) {
      throw this.unusable(error);
    }
  }

  /** The keys alone. */
  *keys(...prefix: readonly Part[]): Generator<Part[]> {
    const start = this.key(...prefix);
    const end = endOfPrefix(start);
    for (const key of this.database.getKeys(end === undefined ? { start } : { start, end })) {
      yield decodeKey(this.layout, key);
    }
  }

  /** The write that gives a key a value, or that removes it. A value that could not be read again is refused. */
  write(parts: readonly Part[], value: Value<Name> | null): RawWrite {
    if (value !== null && this.check?.(value) === false) {
      throw new Error(`a value does not fit the table ${this.name}`);
    }
    const bytes = value === null || this.check === null ? value : Buffer.from(JSON.stringify(value));
    return { table: this.name, key: this.key(...parts), value: bytes as Buffer | null };
  }

  /** Inside `Store.change` only. */
  put(parts: readonly Part[], value: Value<Name>): void {
    const { key, value: bytes } = this.write(parts, value);
    this.guarded(() => this.database.putSync(key as Buffer, bytes as Buffer));
  }

  /** What LMDB finds wrong, as an error that names the table. */
  private guarded<Result>(use: () => Result): Result {
    try {
      return use();
    } catch (error) {
      throw this.unusable(error);
    }
  }

  private unusable(error: unknown): StoreError {
    if (error instanceof StoreError) return error;
    return new StoreError(`The table ${this.name} cannot be used: ${(error as Error).message}.`);
  }

  private read(parts: readonly Part[], bytes: Buffer): Value<Name> {
    if (this.check === null) return Buffer.from(bytes) as Value<Name>;
    const value = parse(bytes);
    if (!this.check(value)) {
      throw new StoreError(`The value ${parts.join('/')} of the table ${this.name} is damaged.`);
    }
    return value as Value<Name>;
  }
}

/** Undefined, which fits no schema, where the bytes are not JSON. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
