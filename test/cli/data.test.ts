import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { systemClock, VERSION } from '../../src/base/index.js';
import { serveAlone } from '../../src/storage/data-folder/serving.js';
import { openStore, Sealer } from '../../src/storage/folder/index.js';
import { FORMAT } from '../../src/storage/folder/lmdb/format.js';
import { createWorkspace } from '../support/access/folder-changes.js';
import { books } from '../support/books.js';
import { run } from '../support/cli.js';
import { dataFolder } from '../support/server.js';

test('backup and restore: the commands print what was written, and the next step', async (t) => {
  const { data, store, run: here, json } = books(t);
  new Sealer(store, '');
  createWorkspace(store, systemClock, 'w');
  t.teardown(serveAlone(data));
  const folder = dataFolder(t);
  const file = join(folder, 'data.backup');
  const { created, bytes, ...rest } = await json('backup', file);
  t.strictSame(rest, { file, format: FORMAT, version: VERSION });
  t.ok(bytes > 0 && Math.abs(Date.parse(created) - Date.now()) < 3_600_000);
  t.match(
    (await here('backup', join(folder, 'second'))).stdout,
    /second: \d+ kB\. The master key is not in it\.$/,
  );
  const target = { DECIDER_DATA: join(folder, 'target') };
  const restored = await run(t, ['restore', file], target);
  t.equal(restored.code, 0, restored.stderr);
  const shown = `${created.slice(0, 10)} ${created.slice(11, 19)}Z`;
  t.match(restored.stdout, new RegExp(`target has the state of ${shown}\\.\\nPut the master key`));
  t.match((await run(t, ['workspaces', 'list'], target)).stdout, /^w /m);
  const verified = await run(t, ['verify'], target);
  t.equal(verified.code, 1);
  t.match(verified.stdout, /^problem {2}master key {4}\S+master\.key is missing/m);
});

test('restore: a backup of an older format is upgraded by a start, before it can be verified', async (t) => {
  const folder = dataFolder(t);
  const older = join(folder, 'older');
  await openStore(older, FORMAT - 1).close();
  const file = join(folder, 'data.backup');
  t.equal((await run(t, ['backup', file], { DECIDER_DATA: older })).code, 0);
  const restored = await run(t, ['restore', file], { DECIDER_DATA: join(folder, 'target') });
  t.match(
    restored.stdout,
    new RegExp(
      `older format ${FORMAT - 1}: the next start of the server upgrades it\\. Then run: decider verify$`,
    ),
  );
});

test('backup, restore, verify and rekey: a mistake is one line, and changes nothing', async (t) => {
  const { data, store, mistake } = books(t);
  new Sealer(store, '');
  const folder = dataFolder(t);
  const empty = { DECIDER_DATA: join(folder, 'empty') };
  for (const args of [['backup', join(folder, 'file')], ['verify'], ['rekey']]) {
    const { code, stderr } = await run(t, args, empty);
    t.equal(code, 1);
    t.match(stderr, /^The data folder \S+ is empty\. Start the server once to create it/);
  }
  t.notOk(existsSync(empty.DECIDER_DATA));
  writeFileSync(join(folder, 'file'), 'no backup');
  await mistake(/^\S+file exists already\. Give the backup another name\.$/m, 'backup', join(folder, 'file'));
  await mistake(/^The backup \S+ cannot be written: ENOENT/, 'backup', join(folder, 'nowhere', 'file'));
  await mistake(/is not a backup of this program, or is not complete/, 'restore', join(folder, 'file'));
  await mistake(/^--new-key is for a configured master key/, 'rekey', '--new-key', join(folder, 'file'));
  t.teardown(serveAlone(data));
  await mistake(
    /^Process \d+ is starting or stopping, or is of a version that cannot change the master key while it runs\.$/m,
    'rekey',
  );
});

test('rekey: the command says which key to keep', async (t) => {
  const data = dataFolder(t);
  const store = openStore(data);
  await store.write([new Sealer(store, '').newDataKey('batch_a').write()]);
  await store.close();
  const before = readFileSync(join(data, 'master.key'), 'utf8');
  const { code, stdout, stderr } = await run(t, ['rekey'], { DECIDER_DATA: data });
  t.equal(code, 0, stderr);
  const [, earlier] =
    /^Data keys encrypted with the new master key: 1\.\nKeep (\S+) for earlier backups, and back up the new master\.key\.$/.exec(
      stdout,
    ) ?? [];
  t.equal(readFileSync(earlier as string, 'utf8'), before);
  const again = await run(t, ['rekey', '--json'], { DECIDER_DATA: data });
  t.match(JSON.parse(again.stdout), { data_keys: 1, earlier_key: /master\.key\.[0-9a-f]{8}$/ });
});
