import type { Transaction } from '../database/postgres/database.js';
import { type Queryable, type Statement, statement } from '../database/postgres/statement.js';
import { TABLES } from '../folder/lmdb/tables.js';
import { columnsOf, correspondenceOf, type MovedTable } from './correspondence.js';
import { type Entry, entryOf, type Row } from './moved-rows.js';

/** Rows of one statement. */
export const PAGE_ROWS_MAX = 500;
/** Bytes of encrypted values of one statement, besides its last value. */
export const PAGE_BYTES_MAX = 4 * 1024 * 1024;

/** Adds rows to a table. `rows` also have the columns that are `added`. */
export async function insertRows(sql: Transaction, name: MovedTable, rows: readonly Row[]): Promise<void> {
  const added = isSealed(name) ? await insertSealed(sql, name, rows) : await insertPlain(sql, name, rows);
  if (added !== rows.length)
    throw new Error(`The database added ${added} of ${rows.length} rows of ${name}.`);
}

const isSealed = (name: MovedTable): boolean => correspondenceOf(name).value === 'sealed';

/** Passes all rows as one JSON parameter, whose values PostgreSQL converts to the types of the columns. */
function insertPlain(sql: Transaction, name: MovedTable, rows: readonly Row[]): Promise<number> {
  const { table, added = [] } = correspondenceOf(name);
  const columns = [...columnsOf(name), ...added].join(', ');
  const insert = statement(
    `move-insert-${name}`,
    `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1::json)`,
  );
  return sql.execute(insert, [JSON.stringify(rows)]);
}

/**
 * Passes all encrypted values as one bytea parameter, which the statement splits. Values as text, in JSON or in an array,
 * take four to ten times as long.
 */
function insertSealed(sql: Transaction, name: MovedTable, rows: readonly Row[]): Promise<number> {
  const { table, key, added = [] } = correspondenceOf(name);
  const columns = [...key, ...added].join(', ');
  const types = [
    ...TABLES[name].key.map(([, kind], at) => `${key[at]} ${kind === 'text' ? 'text' : 'int'}`),
    ...added.map((column) => `${column} int`),
  ];
  const insert = statement(
    `move-insert-${name}`,
    `INSERT INTO ${table} (${columns}, sealed) SELECT ${columns}, substring($2::bytea FROM value_start FOR value_length)
     FROM json_to_recordset($1::json) AS rows(${types.join(', ')}, value_start int, value_length int)`,
  );
  // Counted from 1.
  let start = 1;
  const places = rows.map(({ sealed, ...others }) => {
    const { length } = sealed as Buffer;
    start += length;
    return { ...others, value_start: start - length, value_length: length };
  });
  return sql.execute(insert, [
    JSON.stringify(places),
    Buffer.concat(rows.map(({ sealed }) => sealed as Buffer)),
  ]);
}

/** All entries of a table that are moved, in the order of the data folder, in pages of bounded length. */
export async function* databaseEntries(sql: Queryable, name: MovedTable): AsyncGenerator<Entry> {
  const page = pageOf(name);
  // Less than every key: no text of a key is empty.
  let last = TABLES[name].key.map(([, kind]) => (kind === 'text' ? '' : -1)) as readonly unknown[];
  for (;;) {
    const entries = (await sql.query<Row>(page, last)).map((row) => entryOf(name, row));
    yield* entries;
    const end = entries.at(-1);
    if (end === undefined) return;
    last = end.key;
  }
}

function pageOf(name: MovedTable): Statement {
  const { table, outlivesTask } = correspondenceOf(name);
  const columns = columnsOf(name).join(', ');
  const order = orderOf(name);
  const after = order.map((_, at) => `$${at + 1}`).join(', ');
  const exists = outlivesTask ? 'AND EXISTS (SELECT 1 FROM tasks WHERE tasks.id = task)' : '';
  const page = `SELECT ${columns} FROM ${table} WHERE (${order.join(', ')}) > (${after}) ${exists}
    ORDER BY ${order.join(', ')} LIMIT ${PAGE_ROWS_MAX}`;
  if (!isSealed(name)) return statement(`move-page-${name}`, page);
  // The sum of the lengths before a row bounds the page; lengths are read without reading the values.
  return statement(
    `move-page-${name}`,
    `SELECT ${columns} FROM (
       SELECT ${columns}, sum(octet_length(sealed)) OVER (ORDER BY ${order.join(', ')}) - octet_length(sealed) AS before
       FROM (${page}) AS page
     ) AS measured WHERE before < ${PAGE_BYTES_MAX} ORDER BY ${order.join(', ')}`,
  );
}

/** The parts of the key, in SQL: texts are compared by their bytes, as in the data folder. */
function orderOf(name: MovedTable): string[] {
  const { key } = correspondenceOf(name);
  return TABLES[name].key.map(([, kind], at) =>
    kind === 'text' ? `${key[at]}::text COLLATE "C"` : (key[at] as string),
  );
}
