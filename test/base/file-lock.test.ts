import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { isLocked, lockFile } from '../../src/base/index.js';
import { child } from '../support/child.js';
import { scaled } from '../support/scale.js';

const CONTENDER = new URL('../support/base/contend.js', import.meta.url);

test('a lock is held until it is released', async (t) => {
  const file = join(t.testdir({ file: '' }), 'file');
  const unlock = lockFile(file);
  t.ok(unlock);
  t.equal(lockFile(file, 2), null);
  t.equal(isLocked(file), true);
  unlock?.();
  t.equal(isLocked(file), false);
  lockFile(file)?.();
});

test('a file that does not exist', async (t) => {
  const folder = t.testdir({ file: '' });
  t.throws(() => lockFile(join(folder, 'none')), { code: 'ENOENT' });
});

test('of processes that lock a file which its holders delete, one at a time has the lock', async (t) => {
  const file = join(t.testdir({}), 'file');
  writeFileSync(file, '');
  const rounds = String(scaled({ short: 200, long: 5_000 }));
  const contenders = [0, 1, 2].map(() => child(t, CONTENDER, [file, rounds]));
  t.strictSame(await Promise.all(contenders.map((each) => each.line())), ['0', '0', '0']);
});
