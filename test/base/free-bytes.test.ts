import { join } from 'node:path';
import { test } from 'tap';
import { freeBytes } from '../../src/base/index.js';

test('free bytes: of the disk of a folder that exists, or will', (t) => {
  const folder = t.testdir();
  t.ok(freeBytes(folder) > 0);
  t.ok(freeBytes(join(folder, 'a', 'b')) > 0, 'the nearest folder that exists counts');
  t.ok(freeBytes('nowhere') > 0, 'a relative path');
  t.end();
});

test('free bytes: a file system without a size has no bound', { skip: process.platform !== 'linux' }, (t) => {
  t.equal(freeBytes('/proc'), Number.POSITIVE_INFINITY);
  t.end();
});
