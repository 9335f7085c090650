import { userInfo } from 'node:os';
import { open } from 'lmdb';
import { test } from 'tap';
import { AUDIT_ENTRIES_MAX, AUDIT_VALUE_CHARACTERS_MAX } from '../../../src/access/audit.js';
import { openStore, type Store } from '../../../src/storage/folder/index.js';
import { readAudit } from '../../../src/storage/folder/lmdb/audit-log.js';
import { dataFolder } from '../../support/data-folder.js';

const USER = `cli:${userInfo().username}`;

const add = (store: Store, at: number, after: Record<string, string | null> = { a: '1' }, before = {}) =>
  store.audit(at, { action: 'workspace.change', workspace: 'w', before, after });

const numbersOf = (store: Store, limit: number, before?: number) => {
  const { entries, more } = readAudit(store.table('audit'), limit, before);
  return [entries.map(({ number }) => number), more];
};

test('an entry has the fields that differ, its time and its actor', async (t) => {
  const store = openStore(dataFolder(t));
  t.teardown(() => store.close());
  t.strictSame(numbersOf(store, 1), [[], false]);
  const long = 'é'.repeat(AUDIT_VALUE_CHARACTERS_MAX);
  store.change(() => add(store, 7, { a: '1', b: null, c: long, d: `${long}x` }, { a: '2', b: '3' }));
  t.strictSame(readAudit(store.table('audit'), 1).entries, [
    {
      number: 1,
      at: 7,
      actor: USER,
      action: 'workspace.change',
      workspace: 'w',
      key: null,
      changes: [
        { field: 'a', before: '2', after: '1' },
        { field: 'b', before: '3', after: null },
        { field: 'c', before: null, after: long },
        { field: 'd', before: null, after: `${long}…` },
      ],
    },
  ]);
});

test('another actor counts while its work runs, also if that throws', async (t) => {
  const store = openStore(dataFolder(t));
  t.teardown(() => store.close());
  const failure = new Error('no');
  store.as('server', () => store.change(() => add(store, 1)));
  t.throws(
    () =>
      store.as('server', () =>
        store.change(() => {
          add(store, 2);
          throw failure;
        }),
      ),
    failure,
  );
  store.change(() => add(store, 3));
  store.change(() => add(store, 4, { a: '1' }, { a: '1' }));
  const actors = readAudit(store.table('audit'), 9).entries.map(({ at, actor }) => [at, actor]);
  t.strictSame(actors, [
    [3, USER],
    [1, 'server'],
  ]);
});

test(`${AUDIT_ENTRIES_MAX} entries are kept; one more removes the oldest`, async (t) => {
  const store = openStore(dataFolder(t));
  t.teardown(() => store.close());
  store.change(() => {
    for (let at = 1; at <= AUDIT_ENTRIES_MAX; at += 1) add(store, at);
  });
  const count = () => [...store.table('audit').keys()].length;
  t.equal(count(), AUDIT_ENTRIES_MAX);
  t.equal(store.table('audit').get(1)?.at, 1);
  store.change(() => add(store, 0));
  t.equal(count(), AUDIT_ENTRIES_MAX);
  t.equal(store.table('audit').get(1), undefined);
  const last = AUDIT_ENTRIES_MAX + 1;
  t.strictSame(numbersOf(store, 2), [[last, last - 1], true]);
  t.strictSame(numbersOf(store, 2, 5), [[4, 3], true]);
  t.strictSame(numbersOf(store, 2, 4), [[3, 2], false], 'to the oldest');
  t.strictSame(numbersOf(store, 2, 2), [[], false]);
  t.strictSame(numbersOf(store, 1, last + 1_000), [[last], true]);
});

test('a data folder of a version without the audit log opens without loss', async (t) => {
  const folder = t.testdir();
  const store = openStore(folder, 1);
  store.change(() => store.table('digests').put(['old'], 'kept'));
  await store.close();
  const environment = open({
    path: `${folder}/store`,
    maxDbs: 64,
    encoding: 'binary',
    keyEncoding: 'binary',
  });
  await environment.openDB({ name: 'audit', encoding: 'binary', keyEncoding: 'binary' }).drop();
  t.notOk([...environment.getKeys()].map(String).includes('audit'), 'there is no such table');
  await environment.close();
  const again = openStore(folder, 1);
  t.teardown(() => again.close());
  t.equal(again.table('digests').get('old'), 'kept');
  again.change(() => add(again, 1));
  t.strictSame(numbersOf(again, 9), [[1], false]);
});
