import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { openStore } from '../../../src/storage/folder/index.js';
import { child } from '../../support/child.js';

const CHILD = new URL('../../support/store/child.js', import.meta.url);
/** Files may have this many blocks of 1,024 bytes, as on a disk that is full then. */
const BLOCKS_MAX = 8_000;

test('a full disk: the write rejects, the process lives, nothing acknowledged is lost', async (t) => {
  const folder = t.testdir();
  const writer = child(t, CHILD, [folder], `ulimit -S -f ${BLOCKS_MAX};`);
  t.equal(await writer.line(), 'open');
  let acknowledged = 0;
  let said = '';
  for (; acknowledged < 100_000; acknowledged += 500) {
    said = await writer.ask(`write ${acknowledged} 500`);
    if (said !== 'undefined') break;
  }
  t.ok(acknowledged > 0);
  t.match(said, /^StoreError: .* cannot be written/);
  t.match(await writer.ask(`write ${acknowledged} 5000`), /^StoreError: /, 'the next one too');
  t.equal(await writer.ask('count'), String(acknowledged), 'it reads on');
  t.match(
    await writer.ask('change d key_1'),
    /^undefined$|^StoreError: /,
    'administration is told the same way',
  );
  const room = spawnSync('prlimit', ['--pid', String(writer.process.pid), '--fsize=unlimited']);
  if (room.status !== 0) {
    t.comment('SKIPPED: that it writes again once there is room; there is no prlimit here');
  } else {
    t.equal(await writer.ask(`write ${acknowledged} 500`), 'undefined', 'there is room again');
    acknowledged += 500;
  }
  writer.process.kill('SIGKILL');
  await writer.end();
  const store = openStore(folder);
  t.teardown(() => store.close());
  const accounts = [...store.table('accounts').entries()];
  t.equal(accounts.length, acknowledged);
  t.ok(accounts.every(({ value }, at) => value.charged === String(at)));
});

test('a folder that cannot be created is an error that names it', (t) => {
  const file = join(t.testdir({ file: '' }), 'file');
  t.throws(() => openStore(join(file, 'data')), { name: 'StoreError', message: /cannot be used: ENOTDIR/ });
  t.end();
});

test('a folder that may not be written is an error that names it', (t) => {
  const folder = t.testdir();
  chmodSync(folder, 0o500);
  if (process.getuid?.() === 0)
    t.comment('SKIPPED: permissions do not bind root. Run the tests as another user.');
  else t.throws(() => openStore(folder), { name: 'StoreError', message: /cannot be used: EACCES/ });
  chmodSync(folder, 0o700);
  t.end();
});
