import { type Test, test } from 'tap';
import { sortedName } from '../../../../src/access/index.js';
import { migrate, requireFormat, statement } from '../../../../src/storage/database/index.js';
import { holdFormat, readFormat } from '../../../../src/storage/database/postgres/schema/format.js';
import { MIGRATIONS } from '../../../../src/storage/database/postgres/schema/migrations.js';
import { beat, register } from '../../../../src/storage/database/session/node-rows.js';
import { connectTo, NEEDS_POSTGRES, newDatabase, postgres } from '../../../support/postgres.js';
import { until } from '../../../support/until.js';

const emptyDatabase = async (t: Test) => connectTo(t, await (await postgres()).createDatabase(false));
/** A migration after the released ones. */
const NEXT = [...MIGRATIONS, ['CREATE TABLE added (id int)', 'ALTER TABLE nodes ADD COLUMN added int']];
const FORMAT = MIGRATIONS.length;

const addNode = (name: string, format: number, expires: string) =>
  statement(
    `node-${name}`,
    `INSERT INTO nodes (name, version, format, started, seen, expires)
      VALUES ('${name}', '0', ${format}, 0, 0, (extract(epoch from clock_timestamp()) * 1000)::bigint + ${expires})`,
  );
const SCHEMA = statement(
  'schema',
  `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
    WHERE table_schema = 'public' ORDER BY 1, 2`,
);

test('migrate makes the tables once', NEEDS_POSTGRES, async (t) => {
  const database = await emptyDatabase(t);
  t.equal(await readFormat(database), 0);
  await t.rejects(
    requireFormat(database),
    /^The database in store\.url has no tables\. Run: decider store migrate$/,
  );
  t.strictSame(await migrate(database), { from: 0, to: FORMAT });
  await requireFormat(database);
  const schema = await database.query(SCHEMA);
  t.ok(schema.length > 100);
  t.strictSame(await migrate(database), { from: FORMAT, to: FORMAT });
  t.strictSame(await database.query(SCHEMA), schema);
});

test('a database of another encoding is refused before anything is made', NEEDS_POSTGRES, async (t) => {
  const server = await postgres();
  await server.run(`CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1'`);
  const database = connectTo(t, server.url('latin'));
  await t.rejects(
    migrate(database),
    /^The database has the encoding LATIN1\. Create one with: .* ENCODING 'UTF8'$/,
  );
  t.strictSame(await database.query(SCHEMA), []);
});

test('of many migrations at once, one makes the tables', NEEDS_POSTGRES, async (t) => {
  const database = await emptyDatabase(t);
  const migrated = await Promise.all(Array.from({ length: 5 }, () => migrate(database)));
  t.equal(migrated.filter(({ from }) => from === 0).length, 1);
  t.equal(await readFormat(database), FORMAT);
  const updated = await Promise.all(Array.from({ length: 5 }, () => migrate(database, NEXT)));
  t.equal(updated.filter(({ from }) => from === FORMAT).length, 1);
});

test('a migration that fails changes nothing', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const before = await database.query(SCHEMA);
  await t.rejects(migrate(database, [...NEXT, ['SELECT 1 / 0']]), { name: 'StatementError' });
  t.strictSame(await database.query(SCHEMA), before);
  t.equal(await readFormat(database), FORMAT);
  t.strictSame(await migrate(database, NEXT), { from: FORMAT, to: FORMAT + 1 });
});

test('a migration is refused while nodes of an older format serve', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  await database.execute(addNode('ended', FORMAT, '-1'));
  await database.execute(addNode('newer', FORMAT + 1, '60000'));
  for (let count = 1; count <= 6; count += 1) await database.execute(addNode(`n${count}`, FORMAT, '60000'));
  await t.rejects(migrate(database, NEXT), {
    name: 'Error',
    message: /^Servers of an older version are running: n1, n2, n3, n4, n5 and 1 more\. Stop them/,
  });
  t.equal(await readFormat(database), FORMAT);
  t.strictSame(await migrate(database), { from: FORMAT, to: FORMAT }, 'nothing to change: not refused');
  await database.execute(statement('stop', `UPDATE nodes SET expires = 0 WHERE name LIKE 'n_'`));
  t.strictSame(await migrate(database, NEXT), { from: FORMAT, to: FORMAT + 1 });
});

test(
  'a migration ends sessions that have expired: a node that has hung cannot go on',
  NEEDS_POSTGRES,
  async (t) => {
    const { database } = await newDatabase(t);
    const read = async (text: string) => database.query(statement('', text));
    await database.execute(addNode('hung', FORMAT, '-1'));
    const [{ id } = { id: 0 }] = (await read('SELECT id FROM nodes')) as { id: number }[];
    const clocks = { calendar: 0, version: 0, host: 0 };
    await read(`INSERT INTO accounts (workspace, month, leased) VALUES ('w', '2026-11', 7)`);
    await read(`INSERT INTO credit_leases (workspace, node, amount) VALUES ('w', ${id}, 7)`);
    await read(`INSERT INTO batch_chunks (batch, chunk, node) VALUES ('b', 0, ${id})`);
    await read(`INSERT INTO duties (duty, node) VALUES ('d', ${id})`);
    await database.execute(addNode('other', FORMAT, '60000'));
    await t.rejects(migrate(database, NEXT), /older version are running: other\./);
    t.equal((await read('SELECT id FROM nodes')).length, 2, 'a refused migration ends no session');
    await read(`DELETE FROM nodes WHERE name = 'other'`);
    t.strictSame(await migrate(database, NEXT), { from: FORMAT, to: FORMAT + 1 });
    t.strictSame(await read('SELECT leased FROM accounts'), [{ leased: '0' }]);
    t.strictSame(await read('SELECT node FROM batch_chunks'), [{ node: null }]);
    t.strictSame(await read('SELECT node FROM duties UNION ALL SELECT node FROM credit_leases'), []);
    t.equal(await beat(database, id, clocks), null);
    await t.rejects(register(database, { name: 'hung', version: '0' }, clocks), /has format/);
  },
);

test('a node that registers during a migration is seen by it, or sees it', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  let register: (() => void) | null = null;
  const node = database.transaction(async (transaction) => {
    await holdFormat(transaction);
    await new Promise<void>((resolve) => {
      register = resolve;
    });
    await transaction.execute(addNode('late', FORMAT, '60000'));
  });
  await until(() => register !== null);
  const refused = t.rejects(migrate(database, NEXT), /older version are running: late/);
  await until(() => database.statements.has('lock-service'));
  (register as unknown as () => void)();
  await node;
  await refused;
  await database.execute(statement('remove', 'DELETE FROM nodes'));
  await migrate(database, NEXT);
  await t.rejects(
    database.transaction(holdFormat),
    new RegExp(`^The database has format ${FORMAT + 1}, and this version`),
  );
});

test('a database of format 8 keeps its answers, whose numbers no longer end', NEEDS_POSTGRES, async (t) => {
  const database = await emptyDatabase(t);
  t.strictSame(await migrate(database, MIGRATIONS.slice(0, 8)), { from: 0, to: 8 });
  const put = (number: number) =>
    database.execute(statement('', `INSERT INTO task_answers VALUES ('t', $1, $2, 7, 1, 'm', 'eA==')`), [
      number,
      String(number),
    ]);
  const stored = () =>
    database.query<{ number: number }>(statement('', 'SELECT * FROM task_answers ORDER BY number'));
  await put(1);
  await put(2 ** 31 - 1);
  const before = await stored();
  await t.rejects(put(2 ** 31), { code: '22003' });
  t.strictSame(await migrate(database), { from: 8, to: FORMAT });
  t.strictSame(await stored(), before);
  await put(2 ** 31);
  t.equal((await stored()).at(-1)?.number, 2 ** 31);
});

test('a newer and an older format are refused, and the error says what to do', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  await t.rejects(
    requireFormat(database, FORMAT + 1),
    new RegExp(
      `format ${FORMAT}, .* requires format ${FORMAT + 1}\\. Stop all servers, then run: decider store migrate$`,
    ),
  );
  await migrate(database, NEXT);
  await t.rejects(
    requireFormat(database, FORMAT),
    new RegExp(`format ${FORMAT + 1}, .* up to ${FORMAT}\\. Install the version that migrated it`),
  );
  await t.rejects(
    migrate(database),
    new RegExp(`format ${FORMAT + 1}, which is newer than format ${FORMAT} `),
  );
});

test(
  'names from before the sorted lists are in lower case as the program writes it',
  NEEDS_POSTGRES,
  async (t) => {
    const database = await emptyDatabase(t);
    await migrate(database, MIGRATIONS.slice(0, 5));
    const names = ['Zebra', 'Äpfel', 'ÖL', 'İzmir', 'ΣΑΣ', 'ẞ', null];
    // More than one statement reads and writes.
    const all = [...names, ...Array.from({ length: 2_500 }, (_, at) => `Ärger ${at}`)];
    await database.execute(
      statement(
        'workspaces-of-5',
        `INSERT INTO workspaces (id, name, created, bytes_per_minute, requests_per_minute, changed)
        SELECT 'w' || at, name, 0, 1, 1, 1 FROM unnest($1::text[]) WITH ORDINALITY AS named (name, at)`,
      ),
      [all],
    );
    await database.execute(
      statement(
        'keys-of-5',
        `INSERT INTO keys (id, workspace, digest, name, created, changed) SELECT id, id, id, name, 0, 1 FROM workspaces`,
      ),
    );
    await migrate(database);
    for (const table of ['workspaces', 'keys']) {
      const found = await database.query<{ name: string | null; sorted: string | null }>(
        statement(`sorted-${table}`, `SELECT name, sorted_name AS sorted FROM ${table}`),
      );
      t.equal(found.length, all.length);
      t.strictSame(
        found.filter(({ name, sorted }) => sorted !== sortedName(name)),
        [],
        table,
      );
    }
  },
);
