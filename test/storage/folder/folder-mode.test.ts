import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { openStore } from '../../../src/storage/folder/index.js';

test('the tables are accessible to their owner only, even in an existing folder that is open to others', async (t) => {
  const folder = join(t.testdir(), 'data');
  mkdirSync(folder, { mode: 0o755 });
  await openStore(folder).close();
  t.equal(statSync(join(folder, 'store')).mode & 0o777, 0o700);
});
