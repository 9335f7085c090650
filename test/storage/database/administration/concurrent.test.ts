import { test } from 'tap';
import { AUDIT_ENTRIES_MAX, CHANGES } from '../../../../src/access/index.js';
import { createFirstKey } from '../../../../src/storage/database/administration/first-key.js';
import {
  lockSubmissions,
  setNextNumber,
} from '../../../../src/storage/database/batches/tables/submissions.js';
import { DatabaseAdministration, statement } from '../../../../src/storage/database/index.js';
import { DATABASE_FORMAT } from '../../../../src/storage/database/postgres/schema/migrations.js';
import { connectTo, NEEDS_POSTGRES, newDatabase } from '../../../support/postgres.js';

const ADMINISTRATORS = 4;
/** As many as each has connections: a change that waits for one too long fails. */
const CHANGES_EACH = 5;

test('changes of several administrators are numbered without gaps', NEEDS_POSTGRES, async (t) => {
  const { url } = await newDatabase(t);
  const offices = Array.from(
    { length: ADMINISTRATORS },
    (_, at) => new DatabaseAdministration(connectTo(t, url), `cli:${at}`),
  );
  const [office] = offices as [DatabaseAdministration];
  await office.change(CHANGES.createWorkspace('a'));
  await Promise.all(
    offices.flatMap((each) =>
      Array.from({ length: CHANGES_EACH }, () => each.change(CHANGES.grantCredit('a', 1n))),
    ),
  );
  const total = ADMINISTRATORS * CHANGES_EACH;
  t.equal((await office.getWorkspace('a')).granted, BigInt(total));
  t.strictSame((await office.reconcile()).problems, []);
  const { entries } = await office.audit(1_000);
  t.strictSame(
    entries.map(({ number }) => number),
    Array.from({ length: total + 1 }, (_, at) => total + 1 - at),
  );
});

test('of two changes that exclude each other, one is refused', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const office = new DatabaseAdministration(database, 'cli:ann');
  const twice = async (change: () => Promise<unknown>) =>
    (await Promise.allSettled([change(), change()])).map(({ status }) => status).sort();
  t.strictSame(await twice(() => office.change(CHANGES.createWorkspace('a'))), ['fulfilled', 'rejected']);
  const { key } = await office.change(CHANGES.createKey('a'));
  t.strictSame(await twice(() => office.change(CHANGES.rollKey(key.id))), ['fulfilled', 'rejected']);
  t.equal((await office.listKeys()).length, 2);
});

test('of several nodes that start, one creates the first key', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const tokens = await Promise.all([1, 2, 3].map(() => createFirstKey(database, 5n)));
  t.equal(tokens.filter((token) => token !== null).length, 1);
  const office = new DatabaseAdministration(database, 'cli:ann');
  t.equal((await office.getWorkspace('default')).granted, 5n);
  t.equal((await office.listKeys()).length, 1);
  t.same((await office.audit(1)).entries[0]?.actor, 'server');
});

test('a database of another format is not changed', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const office = new DatabaseAdministration(database, 'cli:ann');
  await office.change(CHANGES.createWorkspace('a'));
  await database.execute(statement('', 'UPDATE service SET format = format + 1'));
  await t.rejects(office.change(CHANGES.createWorkspace('b')), {
    message: new RegExp(`^The database has format ${DATABASE_FORMAT + 1}`),
  });
  t.equal((await office.listWorkspaces()).length, 1);
});

test('the audit log keeps its last entries', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  await database.execute(
    statement(
      '',
      `INSERT INTO audit SELECT entry, 0, 'cli:ann', 'workspace.create', 'a', NULL, '[]'
       FROM generate_series(1, ${AUDIT_ENTRIES_MAX}) AS entry`,
    ),
  );
  const office = new DatabaseAdministration(database, 'cli:ann');
  await office.change(CHANGES.createWorkspace('a'));
  const { entries, more } = await office.audit(AUDIT_ENTRIES_MAX);
  t.equal(entries.length, AUDIT_ENTRIES_MAX);
  t.equal(entries[0]?.number, AUDIT_ENTRIES_MAX + 1);
  t.equal(entries.at(-1)?.number, 2);
  t.notOk(more);
});

test('a key is revoked while a batch of it is being stored', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const office = new DatabaseAdministration(connectTo(t, url), 'cli:ann');
  await office.change(CHANGES.createWorkspace('a'));
  const { key } = await office.change(CHANGES.createKey('a'));
  await database.transaction(async (transaction) => {
    const before = await lockSubmissions(transaction, key.id);
    t.match(before, { works: true, number: 0, open: 0 });
    await office.change(CHANGES.revokeKey(key.id));
    t.match(await lockSubmissions(transaction, key.id), { works: false, number: 0 });
    await setNextNumber(transaction, key.id, 1);
  });
  await database.transaction(async (transaction) => {
    t.match(await lockSubmissions(transaction, key.id), { works: false, number: 1 });
    t.equal(await lockSubmissions(transaction, 'key_1'), undefined);
  });
});
