import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { systemClock } from '../../../src/base/index.js';
import { serveAlone, serveWithoutStore } from '../../../src/storage/data-folder/serving.js';
import { migrate, statement } from '../../../src/storage/database/index.js';
import { guarded } from '../../../src/storage/database/postgres/schema/format.js';
import { SessionLost } from '../../../src/storage/database/session/fence.js';
import { fenced } from '../../../src/storage/database/session/fenced.js';
import { HEARTBEAT_MS, Session } from '../../../src/storage/database/session/session.js';
import { openStore } from '../../../src/storage/folder/index.js';
import { openEnvironment } from '../../../src/storage/folder/lmdb/environment.js';
import type { RawWrite } from '../../../src/storage/folder/lmdb/writes.js';
import { moveToDatabase, moveToFolder } from '../../../src/storage/move/index.js';
import { createWorkspace } from '../../support/access/folder-changes.js';
import { folderContent } from '../../support/cluster/folder-content.js';
import { fillFolder } from '../../support/cluster/full-folder.js';
import { fakeClock } from '../../support/fake-clock.js';
import { connectTo, NEEDS_POSTGRES, newDatabase, postgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';

const ignore = () => {};

/** A full data folder and an empty database. */
async function sides(t: Test) {
  const folder = join(t.testdir(), 'data');
  const back = join(t.testdirName, 'back');
  const filled = await fillFolder(folder);
  const { database } = await newDatabase(t);
  const add = (text: string) => database.execute(statement('', text));
  return { ...filled, folder, back, database, add };
}

const ADD_NODE = `INSERT INTO nodes (name, version, format, started, seen, expires)`;
const COUNT_KEYS = statement('', 'SELECT count(*) AS keys FROM keys');
const EXPIRED = `${ADD_NODE} VALUES ('gone', '0', 1, 0, 0, 1)`;

test('a move is refused while servers use the database, in both directions', NEEDS_POSTGRES, async (t) => {
  const { folder, back, database, masterKey, add } = await sides(t);
  await add(EXPIRED);
  const node = (name: string) => add(`${ADD_NODE} VALUES ('${name}', '0', 1, 0, 0, 9e15::bigint)`);
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await node(name);
  const refusal = {
    message:
      'Servers use the database: a, b, c, d, e and 2 more. Stop them, wait 10 seconds, and run the command again.',
  };
  await t.rejects(moveToDatabase({ folder, database, masterKey }, ignore), refusal);
  await t.rejects(moveToFolder({ folder: back, database, masterKey }, ignore), refusal);
  t.notOk(existsSync(back));
  await add('DELETE FROM nodes WHERE expires > 1');
  await moveToDatabase({ folder, database, masterKey }, ignore);
  // The claims and leases of an expired session do not matter.
  await add(`UPDATE batch_chunks SET node = 1`);
  await add(`INSERT INTO credit_leases (workspace, node, amount) VALUES ('w', 1, 5)`);
  await add(`UPDATE accounts SET leased = 5, exact = true WHERE workspace = 'w'`);
  await moveToFolder({ folder: back, database, masterKey }, ignore);
  t.strictSame(await folderContent(back), await folderContent(folder));
});

test('a server that starts during a move waits for its end', NEEDS_POSTGRES, async (t) => {
  const { folder, database, masterKey } = await sides(t);
  const parts = { database, clock: systemClock, node: { name: 'late', version: '0' }, onError: ignore };
  const session = new Session(parts);
  const steps: string[] = [];
  const foundAt: object[] = [];
  // The lock is free from the COMMIT on, while the move still closes the folder.
  const start = async () => {
    await session.start();
    const [found] = await database.query<{ keys: number }>(COUNT_KEYS);
    foundAt.push({ keys: found?.keys, step: steps.at(-1) });
  };
  let started: Promise<void> | undefined;
  await moveToDatabase({ folder, database, masterKey }, (step, table) => {
    steps.push(`${step} ${table}`);
    if (step === 'copy') started ??= start();
  });
  await started;
  const keys = Number((await folderContent(folder)).keys?.split(' ')[0]);
  t.ok(keys > 0);
  t.strictSame(foundAt, [{ keys, step: steps.at(-1) }], 'everything is there, after the last step');
  await session.stop();
});

test('a node that has hung during a move to a folder cannot go on', NEEDS_POSTGRES, async (t) => {
  const { folder, back, database, masterKey, add } = await sides(t);
  await moveToDatabase({ folder, database, masterKey }, ignore);
  const clock = fakeClock(Date.now());
  const errors: unknown[] = [];
  const session = new Session({
    database,
    clock,
    node: { name: 'hung', version: '0' },
    onError: (error) => errors.push(error),
  });
  t.teardown(() => session.stop());
  await session.start();
  const before = session.id as number;
  await add('UPDATE nodes SET expires = 0');
  await moveToFolder({ folder: back, database, masterKey }, ignore);
  const moved = /^The data of the database in store\.url was moved to a data folder .* Remove store\.url/;
  clock.advance(HEARTBEAT_MS);
  await until(() => session.refusal !== null);
  t.match(session.refusal, moved);
  t.notOk(session.isServing);
  t.match(errors, [{ message: moved }]);
  await t.rejects(
    fenced(database, session, before, async () => {}),
    SessionLost,
  );
  // Changes of callers and operators need no session.
  await t.rejects(
    guarded(database, async () => {}),
    { name: 'WrongFormat', message: moved },
  );
  await t.rejects(migrate(database), { message: moved });
  await t.rejects(moveToFolder({ folder: join(t.testdirName, 'third'), database, masterKey }, ignore), {
    message: moved,
  });
});

test('a move that cannot end the use of its database says so', NEEDS_POSTGRES, async (t) => {
  const { folder, back, database, masterKey, add } = await sides(t);
  await moveToDatabase({ folder, database, masterKey }, ignore);
  await add('ALTER TABLE service ADD CONSTRAINT never CHECK (format > 0)');
  await t.rejects(moveToFolder({ folder: back, database, masterKey }, ignore), {
    message: /has the content of the database now.* could not be marked as moved: .* Remove store\.url/,
  });
  t.strictSame(await folderContent(back), await folderContent(folder));
});

test('a folder that a server uses, or a command changes, is refused', NEEDS_POSTGRES, async (t) => {
  const { folder, database, masterKey } = await sides(t);
  const leave = serveAlone(folder);
  await t.rejects(moveToDatabase({ folder, database, masterKey }, ignore), {
    name: 'StoreError',
    message: /is served by process/,
  });
  leave();
  let changed = false;
  // After everything else was compared.
  const change = (step: string, table: string) => {
    if (`${step} ${table}` !== 'compare data_keys' || changed) return;
    changed = true;
    const store = openStore(folder);
    createWorkspace(store, systemClock, 'new');
    void store.close();
  };
  await t.rejects(moveToDatabase({ folder, database, masterKey }, change), {
    message: /^Another command changed the data folder meanwhile\. Nothing was moved\./,
  });
  t.ok(changed);
  t.strictSame(await database.query(statement('any', 'SELECT 1 FROM workspaces')), []);
  await moveToDatabase({ folder, database, masterKey }, ignore);
});

test('a destination that is not empty is refused', NEEDS_POSTGRES, async (t) => {
  const { folder, back, database, masterKey, add } = await sides(t);
  await add(`INSERT INTO submissions (key, digest, batch, body, at) VALUES ('k', 'd', 'b', 'f', 1)`);
  await t.rejects(moveToDatabase({ folder, database, masterKey }, ignore), {
    message: /^The database is not empty: its table submissions has rows\. Move to a new database/,
  });
  await add('DELETE FROM submissions');
  await moveToDatabase({ folder, database, masterKey }, ignore);
  await t.rejects(moveToDatabase({ folder, database, masterKey }, ignore), /not empty: its table workspaces/);
  await t.rejects(moveToFolder({ folder, database, masterKey }, ignore), {
    name: 'StoreError',
    message: /^The data folder .* is not empty: it has a store\./,
  });
  writeFileSync(join(t.testdirName, 'notes'), '');
  await t.rejects(moveToFolder({ folder: t.testdirName, database, masterKey }, ignore), {
    message: /is not empty: it contains (data|notes)/,
  });
  // A server that shares a database has its lock and a record of what its engine computes in the folder.
  const leaveFolder = serveWithoutStore(back);
  writeFileSync(join(back, 'in-flight'), '');
  await t.rejects(moveToFolder({ folder: back, database, masterKey }, ignore), {
    message: /^The data folder .* is served by process/,
  });
  leaveFolder();
  await moveToFolder({ folder: back, database, masterKey }, ignore);
});

test('a database without tables, or of another format, is refused', NEEDS_POSTGRES, async (t) => {
  const { folder, back, database, masterKey, add } = await sides(t);
  const bare = connectTo(t, await (await postgres()).createDatabase(false));
  const none = /^The database in store\.url has no tables\. Run: decider store migrate/;
  await t.rejects(moveToDatabase({ folder, database: bare, masterKey }, ignore), { message: none });
  await t.rejects(moveToFolder({ folder: back, database: bare, masterKey }, ignore), { message: none });
  await add('UPDATE service SET format = 7');
  await t.rejects(moveToDatabase({ folder, database, masterKey }, ignore), /has format 7/);
});

test('another master key is refused in both directions', NEEDS_POSTGRES, async (t) => {
  const { folder, back, database, masterKey } = await sides(t);
  const other = Buffer.alloc(32, 7);
  await t.rejects(moveToDatabase({ folder, database, masterKey: other }, ignore), {
    message: /^master_key is not the key that the data folder .* was encrypted with\. Set it to that key/,
  });
  await moveToDatabase({ folder, database, masterKey }, ignore);
  await t.rejects(moveToFolder({ folder: back, database, masterKey: other }, ignore), {
    message: /^master_key is not the key that the database was encrypted with\./,
  });
  t.notOk(existsSync(back));
});

test('a damaged value ends the move with its name, and nothing is moved', NEEDS_POSTGRES, async (t) => {
  const { folder, database, masterKey, batches, key } = await sides(t);
  const queued = batches[0]?.id as string;
  const running = batches[1]?.id as string;
  const flip = (value: Buffer) =>
    Buffer.concat([value.subarray(0, -1), Buffer.of((value.at(-1) as number) ^ 1)]);
  const damages: [RawWrite['table'], (string | number)[], (value: Buffer) => Buffer | null, RegExp][] = [
    ['workspaces', ['w'], () => Buffer.from('{"id":'), /value w of the table workspaces is damaged/],
    ['batch_ids', [queued, 1], flip, new RegExp(`value ${queued}/1 of the table batch_ids is damaged`)],
    ['data_keys', [running], flip, new RegExp(`value ${running} of the table data_keys is damaged`)],
    ['data_keys', [running], () => null, new RegExp(`The batch ${running} has no data key`)],
    [
      'batches',
      [running],
      withField,
      new RegExp(`table batches has ${running} in a form that this version cannot move`),
    ],
    [
      'digests',
      ['0'.repeat(64)],
      () => Buffer.from(`"${key}"`),
      /The table digests differs between the data folder and the database, first at an entry/,
    ],
  ];
  const store = openStore(folder);
  t.teardown(() => store.close());
  const environment = openEnvironment(folder);
  t.teardown(() => environment.root.close());
  for (const [table, parts, damage, message] of damages) {
    const name = store.table(table).key(...parts);
    const entries = environment.databases[table];
    const before = entries.getBinary(name);
    const after = damage(Buffer.from(before ?? []));
    const put = (value: Buffer | null | undefined) =>
      environment.root.transactionSync(() =>
        value ? entries.putSync(name, value) : entries.removeSync(name),
      );
    put(after);
    await t.rejects(moveToDatabase({ folder, database, masterKey }, ignore), { message }, String(message));
    put(before && Buffer.from(before));
  }
  await moveToDatabase({ folder, database, masterKey }, ignore);
});

const withField = (value: Buffer) =>
  Buffer.from(JSON.stringify({ ...JSON.parse(value.toString()), later: 1 }));

test('a row that no data folder can have ends the move to one', NEEDS_POSTGRES, async (t) => {
  const { folder, back, database, masterKey, add } = await sides(t);
  await moveToDatabase({ folder, database, masterKey }, ignore);
  await add(`UPDATE accounts SET month = 'May' WHERE workspace = 'w'`);
  await t.rejects(moveToFolder({ folder: back, database, masterKey }, ignore), {
    message: /^The row w of the table accounts in the database is damaged/,
  });
  t.strictSame(readdirSync(join(back, 'store')), []);
});
