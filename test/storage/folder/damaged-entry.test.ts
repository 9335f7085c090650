import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { openStore } from '../../../src/storage/folder/index.js';
import { account } from '../../support/store/opened.js';

/** lmdb.h's `struct MDB_node`: flags, then the length of the key, both of 2 bytes, right before the key. */
const FLAGS_BEFORE_KEY = 4;
/** That the value stands on a page of its own, whose number stands in its place. */
const F_BIGDATA = 0x01;

test('an entry that LMDB cannot read is an error that names the table', async (t) => {
  const folder = t.testdir();
  const store = openStore(folder);
  const accounts = store.table('accounts');
  const rows = Array.from({ length: 300 }, (_, at) => accounts.write([`w${at}`], account(at)));
  await store.write(rows);
  await store.close();
  const file = join(folder, 'store', 'data.mdb');
  const bytes = readFileSync(file);
  // Pages that are no longer in use have it as well.
  const key = Buffer.from('w150\0{"charged"');
  for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + 1)) {
    bytes[at - FLAGS_BEFORE_KEY] = F_BIGDATA;
  }
  writeFileSync(file, bytes);
  const damaged = openStore(folder);
  t.teardown(() => damaged.close());
  t.throws(() => [...damaged.table('accounts').entries()], {
    name: 'StoreError',
    message: /^The table accounts cannot be used: MDB_/,
  });
});
