import { isDeepStrictEqual } from 'node:util';
import { OperatorError } from '../../base/index.js';
import type { KeyPart } from '../../sealing/index.js';
import { correspondenceOf, type Fields, type MovedTable } from './correspondence.js';

/** An entry of a table of the data folder. */
export interface Entry {
  readonly key: readonly KeyPart[];
  readonly value: unknown;
}

/** The values of a row by column, as `Database` reads them: amounts as text, instants as numbers, bytes as Buffer. */
export type Row = Readonly<Record<string, unknown>>;

/** The name of an entry in messages. */
export const nameOf = (table: MovedTable, key: readonly KeyPart[]): string =>
  // The SHA-256 of a token, or of an idempotency key, is not shown.
  table === 'digests' || table === 'submissions' ? 'an entry' : key.join('/');

/** The row of an entry. Throws OperatorError, which names the entry, if the row would not have all of it. */
export function rowOf(table: MovedTable, entry: Entry): Row {
  const { key, value } = correspondenceOf(table);
  const row: Record<string, unknown> = {};
  for (const [at, column] of key.entries()) row[column] = entry.key[at];
  if (typeof value === 'string') row[value] = entry.value;
  else Object.assign(row, rowOfFields(value, entry.value as Record<string, unknown>));
  if (!isDeepStrictEqual(entryOf(table, row), { key: [...entry.key], value: entry.value })) {
    throw new OperatorError(
      `The table ${table} has ${nameOf(table, entry.key)} in a form that this version cannot move.`,
    );
  }
  return row;
}

/** The entry of a row. */
export function entryOf(table: MovedTable, row: Row): Entry {
  const { key, value } = correspondenceOf(table);
  return {
    key: key.map((column) => row[column] as KeyPart),
    value: typeof value === 'string' ? row[value] : objectOf(value, row),
  };
}

function rowOfFields(fields: Fields, value: Readonly<Record<string, unknown>>): Row {
  const row: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (typeof field === 'string') row[field] = value[name];
    else if ('column' in field) row[field.column] = value[name];
    else {
      const inner = value[name] as Row | null | undefined;
      for (const [part, column] of Object.entries(field.fields))
        row[column] = inner ? inner[part] : field.without?.column;
    }
  }
  return row;
}

function objectOf(fields: Fields, row: Row): unknown {
  const value: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const found = valueOfField(field, row);
    if (found !== undefined) value[name] = found;
  }
  return value;
}

function valueOfField(field: Fields[string], row: Row): unknown {
  if (typeof field === 'string') return row[field];
  if ('column' in field)
    return (row[field.column] as Row[]).map((each) => picked(field.fields, (name) => each[name]));
  const { fields, without } = field;
  const isMissing =
    without !== undefined && Object.values(fields).every((column) => row[column] === without.column);
  if (isMissing) return without.value;
  return picked(Object.keys(fields), (name) => row[fields[name] as string]);
}

const picked = (names: readonly string[], valueFor: (name: string) => unknown) =>
  Object.fromEntries(names.map((name) => [name, valueFor(name)]));

/** An entry as it is after a move: its fields have one order. Throws like `rowOf`. */
export const movedForm = (table: MovedTable, entry: Entry): Entry => entryOf(table, rowOf(table, entry));

/** An entry in its moved form as bytes: the same bytes for the same entry, and others for others. */
export function entryBytes({ key, value }: Entry): Buffer {
  if (!(value instanceof Uint8Array)) return Buffer.from(`${JSON.stringify([key, value])}\n`);
  // JSON has no line feeds, so the line ends where the bytes begin.
  return Buffer.concat([Buffer.from(`${JSON.stringify([key, value.length])}\n`), value]);
}
