import { test } from 'tap';
import { StoreError } from '../../../src/base/index.js';
import { storeSpace } from '../../../src/storage/data-folder/data-folder.js';
import { openStore } from '../../../src/storage/folder/index.js';
import { child } from '../../support/child.js';
import { dataFolder } from '../../support/data-folder.js';
import { account, emptyStore } from '../../support/store/opened.js';

const CHILD = new URL('../../support/store/child.js', import.meta.url);

test('what was put is read back, by key and by prefix in the order of the keys', async (t) => {
  const store = emptyStore(t);
  const grants = store.table('grants');
  store.change(() => {
    for (const [workspace, number] of [
      ['b', 0],
      ['a', 256],
      ['a', 2],
      ['ab', 1],
    ] as const) {
      grants.put([workspace, number], { at: number, amount: '1' });
    }
  });
  t.same(grants.get('a', 256), { at: 256, amount: '1' });
  t.equal(grants.get('a', 3), undefined);
  const keys = (...prefix: string[]) => [...grants.entries(...prefix)].map(({ key }) => key);
  t.same(keys('a'), [
    ['a', 2],
    ['a', 256],
  ]);
  t.same(keys(), [
    ['a', 2],
    ['a', 256],
    ['ab', 1],
    ['b', 0],
  ]);
});

test('an administrative change that throws changes nothing, and the next one works', async (t) => {
  const store = emptyStore(t);
  const digests = store.table('digests');
  const before = store.changes();
  t.throws(
    () =>
      store.change(() => {
        digests.put(['one'], 'key_1');
        throw new RangeError('the caller’s own');
      }),
    { name: 'RangeError' },
  );
  t.equal(digests.get('one'), undefined);
  t.equal(store.changes(), before);
  store.change(() => digests.put(['two'], 'key_2'));
  t.equal(digests.get('one'), undefined);
  t.equal(digests.get('two'), 'key_2');
  t.equal(store.changes(), before + 1);
});

test('a value that does not have the table’s shape is not written', async (t) => {
  const store = emptyStore(t);
  const wrong = { charged: '1.5', month: '2026-01', monthCharged: '0' };
  t.throws(() => store.table('accounts').write(['a'], wrong), /does not fit the table accounts/);
  t.throws(() => store.change(() => store.table('grants').put(['a', 0], { at: Number.NaN, amount: '1' })));
  t.equal(store.table('grants').get('a', 0), undefined);
});

test('a damaged value is an error that names it', async (t) => {
  const store = emptyStore(t);
  for (const bytes of [
    '',
    '{',
    'null',
    '{"charged":"1"}',
    '{"charged":1,"month":"2026-01","monthCharged":"0"}',
  ]) {
    const key = store.table('accounts').key('acme');
    await store.write([{ table: 'accounts', key, value: Buffer.from(bytes) }]);
    const named = { name: 'StoreError', message: 'The value acme of the table accounts is damaged.' };
    t.throws(() => store.table('accounts').get('acme'), named, bytes);
    t.throws(() => [...store.table('accounts').entries()], named, bytes);
  }
});

test('a write is visible when its promise resolves, also in another process', async (t) => {
  const store = emptyStore(t);
  const other = child(t, CHILD, [store.folder]);
  t.equal(await other.line(), 'open');
  const accounts = store.table('accounts');
  for (let charged = 0; charged < 20; charged += 1) {
    t.equal(accounts.get('acme')?.charged, charged === 0 ? undefined : String(charged - 1));
    await store.write([accounts.write(['acme'], account(charged))]);
    t.equal(accounts.get('acme')?.charged, String(charged));
  }
  t.equal(await other.ask('count'), '1');
  await store.write([accounts.write(['acme'], null)]);
  t.equal(accounts.get('acme'), undefined);
  t.equal(await other.ask('count'), '0');
});

test('a write that fails in its middle writes nothing, and the next one works', async (t) => {
  const store = emptyStore(t);
  const accounts = store.table('accounts');
  const impossible = { table: 'nowhere' as 'accounts', key: Buffer.from('x'), value: Buffer.from('x') };
  const lost = store.write([accounts.write(['one'], account(1)), impossible]);
  await t.rejects(lost, { name: 'StoreError', message: /cannot be written/ });
  t.equal(accounts.get('one'), undefined);
  await store.write([accounts.write(['two'], account(2))]);
  t.same(
    [...accounts.entries()].map(({ key }) => key),
    [['two']],
  );
});

test('a watcher sees every commit begin and end, and whether it is on the disk', async (t) => {
  const store = emptyStore(t);
  const accounts = store.table('accounts');
  const seen: Array<boolean | 'begins'> = [];
  store.watchCommits(() => {
    seen.push('begins');
    return (done) => seen.push(done);
  });
  await store.write([accounts.write(['one'], account(1))]);
  await store.probe();
  const impossible = { table: 'nowhere' as 'accounts', key: Buffer.from('x'), value: Buffer.from('x') };
  await t.rejects(store.write([impossible]));
  t.strictSame(seen, ['begins', true, 'begins', true, 'begins', false]);
});

test('writes run in the order of the calls', async (t) => {
  const store = emptyStore(t);
  const accounts = store.table('accounts');
  const seen: number[] = [];
  const writes = Array.from({ length: 30 }, async (_, charged) => {
    await store.write([accounts.write(['acme'], account(charged))]);
    seen.push(charged);
    t.ok(Number(accounts.get('acme')?.charged) >= charged, 'nothing older is read');
  });
  await Promise.all(writes);
  t.same(
    seen,
    seen.slice().sort((a, b) => a - b),
  );
  t.equal(accounts.get('acme')?.charged, '29');
});

test('a change by another process is visible to the next read', async (t) => {
  const store = emptyStore(t);
  const other = child(t, CHILD, [store.folder]);
  t.equal(await other.line(), 'open');
  for (let round = 0; round < 5; round += 1) {
    const before = store.changes();
    t.equal(store.table('digests').get('d'), round === 0 ? undefined : `key_${round - 1}`);
    await other.ask(`change d key_${round}`);
    t.equal(store.changes(), before + 1);
    t.equal(store.table('digests').get('d'), `key_${round}`);
  }
});

test('a file extended by another process or the writer thread stays readable', async (t) => {
  const store = emptyStore(t);
  const other = child(t, CHILD, [store.folder]);
  t.equal(await other.line(), 'open');
  const accounts = store.table('accounts');
  t.equal(await other.ask('write 0 40000'), 'undefined');
  t.equal(accounts.get('w00039999')?.charged, '39999');
  const writes = Array.from({ length: 40_000 }, (_, at) => accounts.write([`x${at}`], account(at)));
  await store.write(writes);
  t.equal(accounts.get('x39999')?.charged, '39999');
  t.equal(await other.ask('count'), '80000');
  store.change(() => store.table('digests').put(['d'], 'key_1'));
  t.equal(await other.ask('digest d'), 'key_1');
});

test('acknowledged writes survive kill -9', async (t) => {
  const folder = t.testdir();
  const other = child(t, CHILD, [folder]);
  t.equal(await other.line(), 'open');
  for (let round = 0; round < 5; round += 1) await other.ask(`write ${round * 100} 100`);
  other.process.stdin?.write('write 500 100\n');
  other.process.kill('SIGKILL');
  await other.end();
  const store = openStore(folder);
  t.teardown(() => store.close());
  const count = [...store.table('accounts').entries()].length;
  t.ok(count === 500 || count === 600, `${count}: all of the last write or nothing`);
});

test('a data folder that is a file is an error that names it', async (t) => {
  const folder = t.testdir({ taken: 'text' });
  t.throws(() => openStore(`${folder}/taken`), StoreError);
  t.throws(() => openStore(`${folder}/taken`), /taken cannot be used/);
});

test('a closed store rejects writes', async (t) => {
  const store = openStore(dataFolder(t));
  const write = store.table('accounts').write(['w'], account(1));
  await store.write([write]);
  await store.close();
  await t.rejects(store.write([write]), { name: 'StoreError', message: /is closed/ });
  const never = openStore(dataFolder(t));
  await never.close();
  await t.rejects(never.write([write]), StoreError);
});

test('a killed process that was reading does not keep the pages it read from being used again', async (t) => {
  const store = emptyStore(t);
  await store.write([store.table('accounts').write(['w'], account(1))]);
  const reader = child(t, CHILD, [store.folder]);
  t.equal(await reader.line(), 'open');
  t.equal(await reader.ask('hold'), 'held');
  reader.process.kill('SIGKILL');
  await reader.end();
  const before = storeSpace(store.folder).used;
  const value = Buffer.alloc(1 << 20);
  for (let at = 0; at < 20; at += 1) {
    await store.write([store.table('batch_results').write(['batch_a', 0], value)]);
  }
  const grown = storeSpace(store.folder).used - before;
  t.ok(grown < 8 << 20, `${grown} bytes`);
});
