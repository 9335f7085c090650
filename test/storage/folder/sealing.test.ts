import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { MASTER_KEY_FILE, type Place, seal, unseal } from '../../../src/sealing/index.js';
import { openStore, Sealer } from '../../../src/storage/folder/index.js';
import { emptyStore } from '../../support/store/opened.js';

const KEY = Buffer.alloc(32, 7);
const PLACE: Place = { table: 'data_keys', key: Buffer.from('acme\0'), name: 'acme' };
const DAMAGED = {
  name: 'StoreError',
  message: 'The sealed value acme of the table data_keys is damaged, or was encrypted with another key.',
};

test('a sealed value decrypts, and does not contain the plain text', async (t) => {
  for (const length of [0, 1, 15, 16, 17, 1_000]) {
    const plain = Buffer.alloc(length, 'secret');
    const sealed = seal(KEY, PLACE, plain);
    t.same(unseal(KEY, PLACE, sealed), plain);
    t.equal(sealed.length, length + 28);
    if (length > 6) t.notOk(sealed.includes('secret'));
  }
  t.notSame(seal(KEY, PLACE, KEY), seal(KEY, PLACE, KEY), 'the nonce is another each time');
});

test('a flip of any bit is an error that names the value', async (t) => {
  const sealed = seal(KEY, PLACE, Buffer.from('thirty bytes of some plaintext'));
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const flipped = Buffer.from(sealed);
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
    t.throws(() => unseal(KEY, PLACE, flipped), DAMAGED, `bit ${bit}`);
  }
});

test('a sealed value that is truncated or extended is an error', async (t) => {
  const sealed = seal(KEY, PLACE, Buffer.from('plaintext'));
  for (let length = 0; length < sealed.length; length += 1) {
    t.throws(() => unseal(KEY, PLACE, sealed.subarray(0, length)), DAMAGED, `${length} bytes`);
  }
  t.throws(() => unseal(KEY, PLACE, Buffer.concat([sealed, Buffer.of(0)])), DAMAGED);
});

test('a sealed value decrypts in no other place, and with no other key', async (t) => {
  const sealed = seal(KEY, PLACE, Buffer.from('plaintext'));
  t.throws(
    () => unseal(KEY, { ...PLACE, table: 'data_key' }, sealed),
    /is damaged, or was encrypted with another key/,
  );
  t.throws(() => unseal(KEY, { ...PLACE, key: Buffer.from('acme2\0') }, sealed), DAMAGED);
  t.throws(() => unseal(Buffer.alloc(32, 8), PLACE, sealed), DAMAGED);
});

test('a data key moved to another owner does not decrypt', async (t) => {
  const store = emptyStore(t);
  const sealer = new Sealer(store, '');
  const { key, write } = sealer.newDataKey('batch_1');
  await store.write([write()]);
  t.same(sealer.dataKey('batch_1'), key);
  t.equal(sealer.dataKey('batch_2'), undefined);
  await store.write([{ ...write(), key: store.table('data_keys').key('batch_2') }]);
  t.throws(() => sealer.dataKey('batch_2'), { name: 'StoreError', message: /batch_2 .* is damaged/ });
});

test('the master key is created once, readable by its owner only, and found again', async (t) => {
  const store = emptyStore(t);
  const { key, write } = new Sealer(store, '').newDataKey('batch_1');
  await store.write([write()]);
  const file = join(store.folder, MASTER_KEY_FILE);
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.match(readFileSync(file, 'utf8'), /^[0-9a-f]{64}\n$/);
  t.same(new Sealer(store, '').dataKey('batch_1'), key);
});

/** A folder that has been sealed with the key in its file. */
function sealedFolder(t: Test): { folder: string; file: string } {
  const store = emptyStore(t);
  new Sealer(store, '');
  return { folder: store.folder, file: join(store.folder, MASTER_KEY_FILE) };
}

function opening(t: Test, folder: string, given = '') {
  return () => {
    const store = openStore(folder);
    t.teardown(() => store.close());
    return new Sealer(store, given);
  };
}

test('a data folder copied without its master key is refused, and gets no new one', async (t) => {
  const { folder, file } = sealedFolder(t);
  const copy = join(folder, 'copy');
  mkdirSync(copy);
  cpSync(join(folder, 'store'), join(copy, 'store'), { recursive: true });
  const missing = { name: 'StoreError', message: /master\.key is missing/ };
  t.throws(opening(t, copy), missing);
  t.throws(opening(t, copy), missing, 'the second time too');
  copyFileSync(file, join(copy, MASTER_KEY_FILE));
  t.doesNotThrow(opening(t, copy));
});

test('a wrong master key is recognized', async (t) => {
  const { folder, file } = sealedFolder(t);
  const other = { name: 'StoreError', message: /is not the one that the data folder/ };
  t.throws(opening(t, folder, 'ab'.repeat(32)), other);
  const right = readFileSync(file, 'utf8');
  writeFileSync(file, `${'cd'.repeat(32)}\n`);
  t.throws(opening(t, folder), other);
  t.doesNotThrow(opening(t, folder, right.trim()), 'the right one may be given instead');
});

test('a master key that others may read is refused', async (t) => {
  const { folder, file } = sealedFolder(t);
  for (const mode of [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644]) {
    chmodSync(file, mode);
    t.throws(opening(t, folder), { name: 'StoreError', message: /0600/ }, mode.toString(8));
  }
  chmodSync(file, 0o400);
  t.doesNotThrow(opening(t, folder), 'one that not even the owner may change is well');
});

test('a malformed master key is an error that names its source', async (t) => {
  const { folder, file } = sealedFolder(t);
  for (const text of ['', 'ab', 'ab'.repeat(33), 'g'.repeat(64), `${'ab'.repeat(31)}a `]) {
    writeFileSync(file, text);
    t.throws(opening(t, folder), { name: 'StoreError', message: /master\.key is not 64/ }, text);
    if (text === '') continue;
    t.throws(opening(t, folder, text), { name: 'StoreError', message: /^master_key is not 64/ }, text);
  }
  rmSync(file);
  mkdirSync(file, { mode: 0o700 });
  t.throws(opening(t, folder), { name: 'StoreError', message: /master\.key cannot be read/ });
});

test('with the master key given, no file is made', async (t) => {
  const store = emptyStore(t);
  new Sealer(store, 'AB'.repeat(32));
  t.equal(statSync(join(store.folder, MASTER_KEY_FILE), { throwIfNoEntry: false }), undefined);
  t.doesNotThrow(() => new Sealer(store, 'ab'.repeat(32)), 'in either case of letters');
  t.throws(() => new Sealer(store, ''), /master\.key is missing/);
});

test('a start that was killed while it created the master key does not prevent the next one', async (t) => {
  const store = emptyStore(t);
  writeFileSync(join(store.folder, `${MASTER_KEY_FILE}.new`), 'ab', { mode: 0o400 });
  t.doesNotThrow(() => new Sealer(store, ''));
  t.equal(statSync(join(store.folder, `${MASTER_KEY_FILE}.new`), { throwIfNoEntry: false }), undefined);
});
