import { mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { lockFile } from '../../../src/base/index.js';
import { serveAlone } from '../../../src/storage/data-folder/serving.js';
import { openStore, Sealer } from '../../../src/storage/folder/index.js';
import { FREE_BYTES_MIN, makeStore, requireSpace } from '../../../src/storage/folder/lmdb/make-store.js';
import { storeExists } from '../../../src/storage/index.js';
import { child } from '../../support/child.js';
import { scaled } from '../../support/scale.js';

const CHILD = new URL('../../support/store/child.js', import.meta.url);
const KILLED = new URL('../../support/store/killed-before-call.js', import.meta.url);
/** More than a first start calls the file system. */
const CALLS_MAX = 200;
/** The process is killed before one in this many calls of the file system. */
const STEP = scaled({ short: 8, long: 2 });

/** Opens the folder, serves and seals, and is killed before a call of the file system: whether it came that far. */
async function killed(t: Test, folder: string, call: number): Promise<boolean> {
  const shell = `export KILL_IN=${folder} KILL_BEFORE=${call} NODE_OPTIONS=--import=${KILLED};`;
  const first = child(t, CHILD, [folder], shell);
  if ((await first.line().catch(() => '')) === 'open') await first.ask('seal').catch(() => '');
  first.process.stdin?.end();
  return (await first.end()).signal === 'SIGKILL';
}

test('interrupted first start: killed before any file system call, the next start serves', async (t) => {
  const folder = join(t.testdir(), 'data');
  let kills = 0;
  for (let call = 0; call < CALLS_MAX && (await killed(t, folder, call)); call += STEP) {
    kills += 1;
    const store = openStore(folder);
    const stop = serveAlone(folder);
    t.doesNotThrow(() => new Sealer(store, ''), `killed before call ${call}`);
    stop();
    await store.close();
    t.strictSame(readdirSync(folder).sort(), ['master.key', 'store']);
    t.strictSame(readdirSync(join(folder, 'store')).sort(), ['commit.lock', 'data.mdb', 'lock.mdb']);
    rmSync(folder, { recursive: true });
  }
  t.ok(kills * STEP > 20 && kills * STEP < CALLS_MAX, `${kills} kills`);
});

test('interrupted first start: an empty data file counts as no store, until a master key exists', async (t) => {
  const folder = t.testdir();
  // As it was left by servers that let LMDB make it in its place.
  mkdirSync(join(folder, 'store'));
  const file = join(folder, 'store', 'data.mdb');
  writeFileSync(file, '');
  writeFileSync(join(folder, 'store', 'lock.mdb'), Buffer.alloc(8_272));
  t.notOk(storeExists(folder));
  const store = openStore(folder);
  t.ok(storeExists(folder));
  new Sealer(store, '');
  await store.close();
  truncateSync(file, 0);
  t.ok(storeExists(folder));
  t.throws(() => openStore(folder), {
    name: 'StoreError',
    message: /data\.mdb is damaged: it is empty\. Restore/,
  });
  t.equal(statSync(file).size, 0);
});

test('interrupted first start: many processes that start at once on an empty folder share one store', async (t) => {
  const folder = join(t.testdir(), 'data');
  const all = Array.from({ length: 4 }, () => child(t, CHILD, [folder]));
  t.same(
    await Promise.all(all.map((each) => each.line())),
    all.map(() => 'open'),
  );
  await all[0]?.ask('change d key_1');
  t.same(
    await Promise.all(all.map((each) => each.ask('digest d'))),
    all.map(() => 'key_1'),
  );
  const served = await Promise.all(all.map((each) => each.ask('serve')));
  t.equal(served.filter((said) => /^\d+$/.test(said)).length, 1, served.join('\n'));
});

test('interrupted first start: a process that never finishes creating the store is reported', async (t) => {
  const folder = t.testdir({ store: { 'data.mdb': '' } });
  t.teardown(lockFile(join(folder, 'store', 'data.mdb')) ?? (() => {}));
  t.throws(() => makeStore(folder, () => t.fail('two make it'), 2), {
    name: 'StoreError',
    message: /^Another process has been creating the store of the data folder .* Stop it and try again\.$/,
  });
});

test('interrupted first start: the disk must have the minimum free space', async (t) => {
  t.doesNotThrow(() => requireSpace('data', FREE_BYTES_MIN));
  t.throws(() => requireSpace('data', FREE_BYTES_MIN - 1), {
    name: 'StoreError',
    message: `The disk of the data folder data has ${FREE_BYTES_MIN - 1} bytes free, and a new store needs ${FREE_BYTES_MIN}. Free some, or name a folder on another disk (data, DECIDER_DATA).`,
  });
});
