import { join } from 'node:path';
import { type Test, test } from 'tap';
import { statement } from '../../../src/storage/database/index.js';
import type { Transaction } from '../../../src/storage/database/postgres/database.js';
import { openStore, openToRead, type Store } from '../../../src/storage/folder/index.js';
import { compare, compareTable } from '../../../src/storage/move/compare-tables.js';
import { columnsOf, correspondenceOf, MOVED_TABLES } from '../../../src/storage/move/correspondence.js';
import { PAGE_BYTES_MAX } from '../../../src/storage/move/database-tables.js';
import { moveToDatabase, moveToFolder } from '../../../src/storage/move/index.js';
import { folderContent } from '../../support/cluster/folder-content.js';
import { fillFolder } from '../../support/cluster/full-folder.js';
import { NEEDS_POSTGRES, newDatabase } from '../../support/postgres.js';
import { scaled } from '../../support/scale.js';

const LINES = scaled({ short: 2_000, long: 30_000 }, 'MOVED_LINES');
const RESULT_BYTES = 600;
const ignore = () => {};

/** A full data folder, and a database that it was moved to. */
async function moved(t: Test, lines = 0) {
  const folder = join(t.testdir(), 'data');
  const filled = await fillFolder(folder, { large: lines, largeResultBytes: RESULT_BYTES });
  const { database } = await newDatabase(t);
  const sides = { folder, database, masterKey: filled.masterKey };
  const begin = performance.now();
  const tables = await moveToDatabase(sides, ignore);
  t.comment(`${lines} lines there: ${Math.round(performance.now() - begin)} ms`);
  return { ...sides, ...filled, tables };
}

test('everything moves to a database and back, byte for byte', NEEDS_POSTGRES, async (t) => {
  const { folder, database, masterKey, tables } = await moved(t, LINES);
  const back = join(t.testdirName, 'back');
  const begin = performance.now();
  t.strictSame(await moveToFolder({ folder: back, database, masterKey }, ignore), tables);
  t.comment(`${LINES} lines back: ${Math.round(performance.now() - begin)} ms`);
  t.strictSame(
    tables.map(({ table }) => table),
    MOVED_TABLES,
  );
  t.ok(tables.every(({ rows }) => rows > 0));
  t.strictSame(await folderContent(back), await folderContent(folder));
});

test('what deleted tasks have left is not moved, in either direction', NEEDS_POSTGRES, async (t) => {
  const folder = join(t.testdir(), 'data');
  const { masterKey } = await fillFolder(folder);
  const before = await folderContent(folder);
  const store = openStore(folder);
  const row = { ref: '0'.repeat(32), at: 0, version: 1, build: 'm', sealed: 'eA==' };
  await store.write([
    // An earlier version could leave a reference without its answer.
    store.table('task_refs').write(['task_deleted', row.ref], 7),
    store.table('task_refs').write(['task_deleted', '1'.repeat(32)], 8),
    store.table('task_answers').write(['task_deleted', 7], row),
    store.table('task_labels').write(['task_deleted', row.ref], { ...row, expected: 'eA==' }),
  ]);
  await store.close();
  const { database } = await newDatabase(t);
  const run = (text: string) => database.query(statement('', text));
  const tables = await moveToDatabase({ folder, database, masterKey }, ignore);
  t.strictSame(await run(`SELECT FROM task_answers WHERE task = 'task_deleted'`), []);
  t.strictSame(await run(`SELECT FROM task_labels WHERE task = 'task_deleted'`), []);
  // As an earlier version has moved them.
  await run(`INSERT INTO task_answers VALUES ('task_deleted', 7, '0', 0, 1, 'm', 'eA==')`);
  const back = join(t.testdirName, 'back');
  t.strictSame(await moveToFolder({ folder: back, database, masterKey }, ignore), tables);
  t.strictSame(await folderContent(back), before);
});

test('large values are read and written in pages of bounded length', NEEDS_POSTGRES, async (t) => {
  const results = 4;
  const largeResultBytes = PAGE_BYTES_MAX - 1_000;
  const folder = join(t.testdir(), 'data');
  const { masterKey } = await fillFolder(folder, { large: results, largeResultBytes });
  const { database } = await newDatabase(t);
  await moveToDatabase({ folder, database, masterKey }, ignore);
  t.ok((database.statements.get('move-insert-batch_results') ?? 0) >= results);
  // A page ends with the value with which it is full.
  t.ok((database.statements.get('move-page-batch_results') ?? 0) >= results / 2 + 1);
  t.equal(database.statements.get('move-page-grants'), 2);
});

test('the database also has what a cluster derives from the data', NEEDS_POSTGRES, async (t) => {
  const { database, batches, key, folder } = await moved(t);
  const read = <Row extends object>(text: string) => database.query<Row>(statement('', text));
  const chunks = await read<{ id: string; open: string }>(
    `SELECT batch AS id, string_agg(CASE WHEN open THEN 'o' ELSE 's' END, '' ORDER BY chunk) AS open
     FROM batch_chunks WHERE node IS NULL GROUP BY batch`,
  );
  const unfinished = batches.filter(({ state }) => /queued|ing$/.test(state));
  t.equal(unfinished.length, 6);
  t.strictSame(
    Object.fromEntries(chunks.map(({ id, open }) => [id, open])),
    Object.fromEntries(
      unfinished.map(({ id, lines, results }) => [
        id,
        results === lines ? 'ss' : results === 0 ? 'ooo' : 'soo',
      ]),
    ),
  );
  const numbers = await read<{ key: string; next: number }>('SELECT key, next FROM batch_numbers');
  t.strictSame(numbers, [{ key, next: 1 + Math.max(...batches.map(({ number }) => number)) }]);
  const ranges = await read<{ lines: number; first: number }>(
    `SELECT sum(lines)::int AS lines, max(first) AS first FROM batch_ids GROUP BY batch ORDER BY 1 DESC, 2`,
  );
  t.strictSame(ranges, [
    ...Array.from({ length: 9 }, () => ({ lines: 11, first: 8 })),
    { lines: 8, first: 4 },
  ]);
  const store = openToRead(folder);
  t.teardown(() => store.close());
  const changes = store.changes();
  const [facts] = await read(
    `SELECT s.changes, (SELECT count(*) FROM accounts WHERE leased <> 0 OR exact) AS leased,
       (SELECT count(*) FROM workspaces WHERE changed = s.changes) AS workspaces,
       (SELECT count(*) FROM keys WHERE changed = s.changes) AS keys FROM service s`,
  );
  t.strictSame(facts, { changes, leased: 0, workspaces: 3, keys: 6 });
});

/** What no entry of a data folder has. */
const OWN_TABLES = [
  'batch_chunks',
  'batch_numbers',
  'batch_turns',
  'calendar',
  'change_marks',
  'credit_leases',
  'duties',
  'nodes',
  'request_rates',
  'service',
];
const OWN_COLUMNS = [
  'accounts.exact',
  'accounts.leased',
  'batch_ids.first',
  'batch_ids.lines',
  'keys.changed',
  'keys.sorted_name',
  'tasks.answers',
  'tasks.oldest',
  'workspaces.changed',
  'workspaces.sorted_name',
];

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

const columnsOfDatabase = (sql: Transaction) =>
  sql.query<Column>(
    statement(
      'columns',
      `SELECT table_name AS table, column_name AS column, data_type AS type FROM information_schema.columns
       WHERE table_schema = 'public' ORDER BY 1, 2`,
    ),
  );

test('every column of the database moves, or belongs to a cluster alone', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const all = await columnsOfDatabase(database);
  const known = new Set(
    MOVED_TABLES.flatMap((name) =>
      columnsOf(name).map((column) => `${correspondenceOf(name).table}.${column}`),
    ),
  );
  const others = all.filter(({ table, column }) => !known.has(`${table}.${column}`));
  const isOwn = ({ table }: Column) => OWN_TABLES.includes(table);
  t.strictSame([...new Set(others.filter(isOwn).map(({ table }) => table))], OWN_TABLES);
  t.strictSame(
    others.filter((each) => !isOwn(each)).map(({ table, column }) => `${table}.${column}`),
    OWN_COLUMNS,
  );
});

/** Another value of a column, in SQL. */
function changed({ column, type }: Column): string {
  if (type === 'text') return `${column} || '9'`;
  if (type === 'ARRAY') return `${column} || ARRAY['x']`;
  if (type === 'jsonb') return `'[]'`;
  if (type === 'boolean') return `NOT ${column}`;
  return type === 'bytea' ? `${column} || '\\x00'` : `${column} + 1000`;
}

test('the comparison finds any changed, missing or further row', NEEDS_POSTGRES, async (t) => {
  const { folder, database } = await moved(t);
  const store = openToRead(folder);
  t.teardown(() => store.close());
  await database.transaction(async (sql) => {
    const columns = (await columnsOfDatabase(sql)).filter(({ table }) => !OWN_TABLES.includes(table));
    for (const each of columns) {
      const { table, column } = each;
      if (OWN_COLUMNS.includes(`${table}.${column}`)) continue;
      const row = `ctid = (SELECT max(ctid) FROM ${table} WHERE ${column} IS NOT NULL)`;
      await finds(t, store, sql, table, `UPDATE ${table} SET ${column} = ${changed(each)} WHERE ${row}`);
    }
    for (const table of new Set(columns.map((each) => each.table))) {
      for (const which of ['min', 'max']) {
        const row = `ctid = (SELECT ${which}(ctid) FROM ${table})`;
        await finds(t, store, sql, table, `DELETE FROM ${table} WHERE ${row}`);
      }
      const own = columns.filter((each) => each.table === table);
      const names = own.map(({ column }) => column).join(', ');
      // What is kept of answers is moved with its task only.
      const keepsTask = table === 'task_answers' || table === 'task_labels';
      const value = (each: Column) => (keepsTask && each.column === 'task' ? 'task' : changed(each));
      const copy = `SELECT ${own.map(value).join(', ')} FROM ${table} ORDER BY ctid LIMIT 1`;
      await finds(t, store, sql, table, `INSERT INTO ${table} (${names}) ${copy}`);
    }
    for (const fact of ['changes = changes + 1', `master_check = 'x'`, 'master_check = NULL'])
      await finds(t, store, sql, 'service', `UPDATE service SET ${fact}`);
    t.equal((await compare(store, sql, ignore)).length, MOVED_TABLES.length);
  });
});

/** A change of one row makes the comparison of its table fail, and is undone. */
async function finds(t: Test, store: Store, sql: Transaction, table: string, change: string): Promise<void> {
  await sql.execute(statement('savepoint', 'SAVEPOINT before_change'));
  t.equal(await sql.execute(statement('', change)), 1, change);
  const names = MOVED_TABLES.filter((name) => correspondenceOf(name).table === table);
  const compared = async () => {
    if (table === 'service') await compare(store, sql, ignore);
    for (const name of names) await compareTable(store, sql, name, ignore);
  };
  await t.rejects(compared(), { message: /table|database/ }, change);
  await sql.execute(statement('rollback-to', 'ROLLBACK TO before_change'));
}
