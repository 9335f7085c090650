import { join } from 'node:path';
import { test } from 'tap';
import { moveToDatabase, moveToFolder } from '../../src/cluster/index.js';
import { folderContent } from '../support/cluster/folder-content.js';
import { fillFolder } from '../support/cluster/full-folder.js';
import { NEEDS_POSTGRES, newDatabase } from '../support/postgres.js';
import { scaled } from '../support/scale.js';

const LINES = scaled({ short: 2_000, long: 100_000 });
const RESULT_BYTES = 600;
const ignore = () => {};

test('everything moves to a database and back, byte for byte', NEEDS_POSTGRES, async (t) => {
  const folder = join(t.testdir(), 'data');
  const back = join(t.testdirName, 'back');
  const { masterKey } = await fillFolder(folder, LINES, RESULT_BYTES);
  const { database } = await newDatabase(t);
  const begin = performance.now();
  const there = await moveToDatabase({ folder, database, masterKey }, ignore);
  const middle = performance.now();
  const again = await moveToFolder({ folder: back, database, masterKey }, ignore);
  const end = performance.now();
  t.comment(`${LINES} lines: ${Math.round(middle - begin)} ms there, ${Math.round(end - middle)} ms back`);
  t.strictSame(again, there);
  t.ok(there.every(({ rows }) => rows > 0));
  t.strictSame(await folderContent(back), await folderContent(folder));
});
