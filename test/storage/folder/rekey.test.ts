import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { openStore, rekey, Sealer } from '../../../src/storage/folder/index.js';
import { readAudit } from '../../../src/storage/folder/lmdb/audit-log.js';
import { finishRekey, rekeyServed } from '../../../src/storage/folder/master-key/rekey.js';
import { child } from '../../support/child.js';
import { dataFolder } from '../../support/data-folder.js';
import { until } from '../../support/until.js';

const CHILD = new URL('../../support/store/child.js', import.meta.url);
const OWNERS = Array.from({ length: 500 }, (_, at) => `batch_${at}`);
const [GIVEN, NEXT] = ['ab'.repeat(32), 'cd'.repeat(32)];

/** A closed data folder with a data key for each owner. */
async function sealed(t: Test, given = '') {
  const folder = join(dataFolder(t), 'data');
  const store = openStore(folder);
  const sealer = new Sealer(store, given);
  const made = OWNERS.map((owner) => ({ owner, ...sealer.newDataKey(owner) }));
  await store.write(made.map(({ write }) => write()));
  await store.close();
  const keys = new Map(made.map(({ owner, key }) => [owner, key.toString('hex')]));
  /** Whether every data key opens with this master key. */
  const opens = async (master = '') => {
    const again = openStore(folder);
    try {
      const opened = new Sealer(again, master);
      return OWNERS.every((owner) => opened.dataKey(owner)?.toString('hex') === keys.get(owner));
    } finally {
      await again.close();
    }
  };
  return { folder, opens, master: () => readFileSync(join(folder, 'master.key'), 'utf8') };
}

test('rekey: every data key opens with the new master key only, and the earlier one is kept', async (t) => {
  const { folder, opens, master } = await sealed(t);
  const old = master();
  const { dataKeys, earlier } = await rekey(folder, '', null);
  t.equal(dataKeys, OWNERS.length);
  t.not(master(), old);
  t.ok(await opens());
  t.equal(readFileSync(earlier as string, 'utf8'), old);
  await t.rejects(opens(old.trim()), { name: 'StoreError', message: /is not the one/ });
  t.equal(readdirSync(folder).length, 3, 'store, master.key and the earlier key');
  t.equal((await rekey(folder, '', null)).dataKeys, OWNERS.length, 'again');
  t.ok(await opens());
  const store = openStore(folder);
  const { entries } = readAudit(store.table('audit'), 9);
  await store.close();
  t.strictSame(
    entries.map(({ action, actor }) => [action, actor.split(':')[0]]),
    Array(2).fill(['master_key.replace', 'cli']),
  );
  t.equal(readdirSync(folder).length, 4);
});

test('rekey: a run that was interrupted after the transaction is finished by the next one', async (t) => {
  const { folder, opens, master } = await sealed(t);
  const old = master();
  await rekey(folder, '', null);
  const fresh = master();
  // As if it had been killed before the new key took its place.
  renameSync(join(folder, 'master.key'), join(folder, 'master.key.next'));
  writeFileSync(join(folder, 'master.key'), old, { mode: 0o600 });
  t.ok(await opens(), 'beside the interrupted change');
  t.equal(master(), old, 'a reader changes nothing');
  t.equal((await rekey(folder, '', null)).dataKeys, null);
  t.equal(master(), fresh);
  t.ok(await opens());
});

test('rekey: the next start finishes a run that was interrupted after the transaction', async (t) => {
  const { folder, opens, master } = await sealed(t);
  const old = master();
  const { earlier } = await rekey(folder, '', null);
  const fresh = master();
  renameSync(join(folder, 'master.key'), join(folder, 'master.key.next'));
  writeFileSync(join(folder, 'master.key'), old, { mode: 0o600 });
  rmSync(earlier as string);
  const store = openStore(folder);
  t.equal(finishRekey(store, ''), null);
  await store.close();
  t.equal(master(), fresh);
  t.equal(readFileSync(earlier as string, 'utf8'), old);
  t.notOk(existsSync(join(folder, 'master.key.next')));
  t.ok(await opens());
});

test('rekey: a run that was interrupted before the transaction leaves the old key in use', async (t) => {
  const { folder, opens, master } = await sealed(t);
  writeFileSync(join(folder, 'master.key.next'), `${NEXT}\n`, { mode: 0o600 });
  t.ok(await opens());
  t.equal((await rekey(folder, '', null)).dataKeys, OWNERS.length);
  t.equal(master(), `${NEXT}\n`);
  t.ok(await opens());
});

test('rekey: a configured key is replaced by the one in a file', async (t) => {
  const { folder, opens } = await sealed(t, GIVEN);
  const file = join(folder, '..', 'next');
  writeFileSync(file, NEXT, { mode: 0o600 });
  await t.rejects(rekey(folder, GIVEN, null), { name: 'StoreError', message: /--new-key FILE/ });
  await t.rejects(rekey(folder, '', file), { message: /Leave it out/ });
  await t.rejects(rekey(folder, '01'.repeat(32), file), { message: /is not the key/ });
  t.same(await rekey(folder, GIVEN, file), { dataKeys: OWNERS.length, earlier: null });
  t.ok(await opens(NEXT));
  t.ok(await opens(GIVEN), 'a link names the file of the new key');
  const store = openStore(folder);
  t.match(finishRekey(store, GIVEN), /^master_key is not the current master key\. Configure the new one/);
  await t.rejects(rekey(folder, '01'.repeat(32), file.replace('next', 'master.key')), {
    message: /cannot be read/,
  });
  t.equal(finishRekey(store, NEXT), null);
  await store.close();
  t.strictSame(readdirSync(folder), ['store'], 'the link is removed when the new key is configured');
  await t.rejects(opens(GIVEN), { message: /is not the one/ });
  t.same(await rekey(folder, GIVEN, file), { dataKeys: null, earlier: null }, 'again');
  await t.rejects(rekey(folder, NEXT, file), {
    name: 'StoreError',
    message: `${file} has the current master key. Generate a new one.`,
  });
  chmodSync(file, 0o644);
  await t.rejects(rekey(folder, NEXT, file), { message: /accessible to other users/ });
});

test('rekey: if the configuration names no key any more, master.key becomes a file with the new one', async (t) => {
  for (const finish of ['start', 'rekey'] as const) {
    const { folder, opens, master } = await sealed(t);
    const old = master();
    // From the time before the key was configured.
    const file = join(folder, '..', `${finish}.next`);
    writeFileSync(file, NEXT, { mode: 0o600 });
    await rekey(folder, old.trim(), file);
    if (finish === 'start') {
      const store = openStore(folder);
      t.equal(finishRekey(store, ''), null);
      await store.close();
    } else {
      t.equal((await rekey(folder, '', null)).dataKeys, null);
    }
    rmSync(file);
    t.ok(lstatSync(join(folder, 'master.key')).isFile());
    t.equal(master(), `${NEXT}\n`);
    t.notOk(lstatSync(join(folder, 'master.key.next'), { throwIfNoEntry: false }));
    t.ok(await opens());
  }
});

test('rekey: while the folder is served, every data key opens at every moment, and new ones open afterwards', async (t) => {
  for (const given of ['', GIVEN]) {
    const { folder, opens } = await sealed(t, given);
    const store = openStore(folder);
    const sealer = new Sealer(store, given);
    const file = join(folder, '..', 'next');
    writeFileSync(file, NEXT, { mode: 0o600 });
    const before = OWNERS.map((owner) => sealer.dataKey(owner)?.toString('hex'));
    const added = new Map<string, string>();
    let ended = false;
    const change = rekeyServed(store, sealer, given, given === '' ? null : file).finally(() => {
      ended = true;
    });
    t.throws(() => sealer.newDataKey('batch_early').write(), { message: 'the master key is being changed' });
    const readers = (async () => {
      for (let at = 0; !ended; at += 1) {
        const owner = OWNERS[at % OWNERS.length] as string;
        if (sealer.dataKey(owner)?.toString('hex') !== before[at % OWNERS.length])
          t.fail(`${owner} does not open`);
        await new Promise(setImmediate);
      }
    })();
    const writers = (async () => {
      for (let at = 0; !ended || at < 10; at += 1) {
        const { key, write } = sealer.newDataKey(`batch_new_${at}`);
        while (sealer.changing !== null) await sealer.changing;
        await store.write([write()]);
        added.set(`batch_new_${at}`, key.toString('hex'));
      }
    })();
    t.match(await change, { dataKeys: OWNERS.length });
    await Promise.all([readers, writers]);
    for (const [owner, key] of added) t.equal(sealer.dataKey(owner)?.toString('hex'), key);
    await store.close();
    t.ok(await opens(given === '' ? '' : NEXT));
    const again = openStore(folder);
    const reopened = new Sealer(again, given === '' ? '' : NEXT);
    for (const [owner, key] of added) t.equal(reopened.dataKey(owner)?.toString('hex'), key);
    await again.close();
  }
});

test('rekey: while the folder is served, a change that fails leaves the old key in use', async (t) => {
  const { folder, opens, master } = await sealed(t);
  const old = master();
  const store = openStore(folder);
  const sealer = new Sealer(store, '');
  const damaged = store.table('data_keys').get('batch_7') as Buffer;
  await store.write([store.table('data_keys').write(['batch_7'], Buffer.from(damaged).fill(0, 12, 20))]);
  await t.rejects(rekeyServed(store, sealer, '', null), {
    name: 'StoreError',
    message: /The sealed value batch_7 of the table data_keys is damaged.*The master key was not changed/,
  });
  await store.write([store.table('data_keys').write(['batch_7'], damaged)]);
  await store.write([sealer.newDataKey('batch_late').write()]);
  await until(() => sealer.dataKey('batch_late') !== undefined);
  t.equal(master(), old);
  t.match(
    await rekeyServed(store, sealer, '', null),
    { dataKeys: OWNERS.length + 1 },
    'the next one succeeds',
  );
  store.refresh();
  t.match(
    readAudit(store.table('audit'), 9).entries,
    [
      {
        actor: 'server',
        action: 'master_key.replace',
        changes: [{ field: 'data_keys', before: null, after: String(OWNERS.length + 1) }],
      },
    ],
    'only what succeeded is in the audit log',
  );
  await store.close();
  t.ok(await opens());
  t.notOk(lstatSync(join(folder, 'master.key.next'), { throwIfNoEntry: false }));
});

test('rekey: refused while another process serves the folder, without a master key, and if a data key does not open', async (t) => {
  const { folder, opens, master } = await sealed(t);
  const old = master();
  const server = child(t, CHILD, [folder]);
  await server.line();
  const pid = await server.ask('serve');
  await t.rejects(rekey(folder, '', null), {
    name: 'StoreError',
    message: new RegExp(
      `is served by process ${pid} on .*\\. Stop that process, wait for it if it is a command \\(decider rekey\\), or`,
    ),
  });
  server.process.kill('SIGKILL');
  await server.end();
  const store = openStore(folder);
  const damaged = store.table('data_keys').get('batch_7') as Buffer;
  await store.write([store.table('data_keys').write(['batch_7'], Buffer.from(damaged).fill(0, 12, 20))]);
  await t.rejects(rekey(folder, '', null), {
    message:
      /The sealed value batch_7 of the table data_keys is damaged.* let the server delete batch_7, about/,
  });
  const row = { id: 'batch_7', created: 0, changed: 0, version: 1, bytes: 0, sealed: 'eA==' };
  await store.write([store.table('tasks').write(['w', 'a'], row)]);
  await t.rejects(rekey(folder, '', null), {
    message: /Restore a backup, or delete the task a of the workspace w, and repeat this\.$/,
  });
  await store.write([store.table('tasks').write(['w', 'a'], null)]);
  await store.write([store.table('data_keys').write(['batch_7'], damaged)]);
  await store.close();
  t.equal(master(), old);
  t.ok(await opens(), 'nothing was changed');
  const empty = join(folder, '..', 'empty');
  await openStore(empty).close();
  await t.rejects(rekey(empty, '', null), { message: /has no master key yet/ });
});
