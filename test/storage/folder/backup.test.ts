import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { lockFile } from '../../../src/base/index.js';
import { placeOf, seal } from '../../../src/sealing/index.js';
import {
  backUp,
  openStore,
  restore,
  Sealer,
  type Store,
  TABLES,
  type TableName,
} from '../../../src/storage/folder/index.js';
import { FORMAT } from '../../../src/storage/folder/lmdb/format.js';
import { child } from '../../support/child.js';
import { account } from '../../support/store/opened.js';

const CHILD = new URL('../../support/store/child.js', import.meta.url);
const NOW = Date.parse('2026-05-10T12:00:00Z');
const SECRET = 'the state of a caller';

const names = Object.keys(TABLES) as TableName[];
const content = (store: Store) => names.map((name) => [name, [...store.table(name).entries()]]);

/** A data folder with accounts and a sealed value, open until the test ends. */
async function filled(t: Test, rows = 300) {
  const folder = t.testdir();
  const data = join(folder, 'data');
  const store = openStore(data);
  t.teardown(() => store.close());
  const sealer = new Sealer(store, '');
  const { key, write } = sealer.newDataKey('batch_a');
  const accounts = Array.from({ length: rows }, (_, at) =>
    store.table('accounts').write([`w${at}`], account(at)),
  );
  const sealed = seal(key, placeOf('batch_webhooks', 'batch_a'), Buffer.from(SECRET));
  await store.write([...accounts, write(), store.table('batch_webhooks').write(['batch_a'], sealed)]);
  return { folder, data, store, file: join(folder, 'data.backup') };
}

test('backup: a restored folder has every entry, and its parts are readable by their owner only', async (t) => {
  const { folder, data, store, file } = await filled(t);
  const facts = await backUp(data, file, NOW);
  t.match(facts, { format: FORMAT, created: NOW });
  t.equal(facts.bytes, statSync(file).size - 544);
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.strictSame(readdirSync(folder).sort(), ['data', 'data.backup']);
  const target = join(folder, 'elsewhere');
  t.strictSame(restore(target, file), facts);
  t.equal(statSync(target).mode & 0o777, 0o700);
  t.strictSame(readdirSync(join(target, 'store')).sort(), ['data.mdb', 'lock.mdb']);
  t.equal(statSync(join(target, 'store', 'data.mdb')).mode & 0o077, 0);
  const restored = openStore(target);
  t.teardown(() => restored.close());
  const { audit, ...others } = Object.fromEntries(content(restored));
  t.strictSame({ audit: [], ...others }, Object.fromEntries(content(store)));
  t.match(audit, [{ value: { action: 'backup.restore', actor: /^cli:/ } }]);
});

test('backup: sealed values stay sealed, and the master key is not in the file', async (t) => {
  const { folder, data, file } = await filled(t);
  await backUp(data, file, NOW);
  const bytes = readFileSync(file);
  const master = readFileSync(join(data, 'master.key'), 'utf8').trim();
  t.notOk(bytes.includes(SECRET));
  t.notOk(bytes.includes(master) || bytes.includes(Buffer.from(master, 'hex')));
  const target = join(folder, 'elsewhere');
  restore(target, file);
  const restored = openStore(target);
  t.teardown(() => restored.close());
  t.throws(() => new Sealer(restored, ''), { name: 'StoreError', message: /master\.key is missing/ });
  t.doesNotThrow(() => new Sealer(restored, master));
});

test('backup: freed pages are left out', async (t) => {
  const { data, store, file } = await filled(t, 2_000);
  await store.write([store.table('accounts').removal([''], ['x'])]);
  await backUp(data, file, NOW);
  t.ok(statSync(file).size < statSync(join(data, 'store', 'data.mdb')).size / 4);
});

test('backup: an existing file is not replaced, and one backup at a time writes a file', async (t) => {
  const { data, file } = await filled(t);
  writeFileSync(file, 'other');
  await t.rejects(backUp(data, file, NOW), { name: 'StoreError', message: /exists already/ });
  t.equal(readFileSync(file, 'utf8'), 'other');
  const second = `${file}.2`;
  mkdirSync(`${second}.part`);
  writeFileSync(join(`${second}.part`, 'lock'), '');
  const unlock = lockFile(join(`${second}.part`, 'lock')) as () => void;
  await t.rejects(backUp(data, second, NOW), { message: /^Another process is writing this backup/ });
  t.ok(existsSync(`${second}.part`));
  unlock();
  await backUp(data, second, NOW);
  t.notOk(existsSync(`${second}.part`));
});

test('backup: only the folder of an interrupted backup is taken over, and made accessible to its owner only', async (t) => {
  const { data, file } = await filled(t);
  const part = `${file}.part`;
  const refused = (message: RegExp) => t.rejects(backUp(data, file, NOW), { name: 'StoreError', message });
  writeFileSync(part, 'notes');
  await refused(/part, which exists and is not a folder\. Move it, or give the backup another name\.$/);
  rmSync(part);
  mkdirSync(part);
  writeFileSync(join(part, 'notes'), 'kept');
  writeFileSync(join(part, 'data.mdb'), 'kept too');
  await refused(/part, which contains notes\./);
  t.strictSame(readdirSync(part).sort(), ['data.mdb', 'notes']);
  rmSync(join(part, 'notes'));
  if (process.geteuid?.() === 0) {
    chownSync(part, 65_534, 65_534);
    await refused(/part, which belongs to another user\./);
    chownSync(part, 0, 0);
  }
  chmodSync(part, 0o777);
  writeFileSync(join(part, 'lock'), '');
  const unlock = lockFile(join(part, 'lock')) as () => void;
  await refused(/^Another process/);
  t.equal(statSync(part).mode & 0o777, 0o700);
  unlock();
  await backUp(data, file, NOW);
  t.strictSame(readdirSync(join(data, '..')).sort(), ['data', 'data.backup']);
});

test('backup: a file that appears while the copy is made is not replaced', async (t) => {
  const { folder, data, file } = await filled(t);
  const backup = backUp(data, file, NOW);
  writeFileSync(file, 'other');
  await t.rejects(backup, { name: 'StoreError', message: /exists already/ });
  t.equal(readFileSync(file, 'utf8'), 'other');
  t.strictSame(readdirSync(folder).sort(), ['data', 'data.backup']);
});

test('backup: a full disk is an error that leaves neither a file nor a part of it', async (t) => {
  const { folder, data, store, file } = await filled(t, 6_000);
  // The copy needs more than twice as many blocks of 1,024 bytes.
  const other = child(t, CHILD, [data], 'ulimit -S -f 300;');
  t.match(await other.line(), /^open$/);
  t.match(await other.ask(`backUp ${file}`), /^StoreError: The backup .* cannot be written: /);
  t.strictSame(readdirSync(folder).sort(), ['data']);
  t.equal([...store.table('accounts').entries()].length, 6_000);
});

test('restore: a damaged, incomplete or foreign file is refused, and nothing remains of it', async (t) => {
  const { folder, data, file } = await filled(t);
  const { bytes } = await backUp(data, file, NOW);
  const whole = readFileSync(file);
  const target = join(folder, 'elsewhere');
  const refused = (damaged: Buffer, message: RegExp) => {
    writeFileSync(file, damaged);
    t.throws(() => restore(target, file), { name: 'StoreError', message }, String(message));
    t.notOk(
      existsSync(join(target, 'store', 'data.mdb')) && statSync(join(target, 'store', 'data.mdb')).size > 0,
    );
  };
  // The first and last byte of the content, of the facts behind the JSON, and of the digest.
  for (const at of [0, bytes - 1, bytes + 511, bytes + 512, whole.length - 1]) {
    const flipped = Buffer.from(whole);
    flipped.writeUInt8(flipped.readUInt8(at) ^ (at === bytes + 511 ? 0x20 ^ 0x09 : 1), at);
    refused(flipped, /is damaged: its content does not have the recorded SHA-256/);
  }
  for (const length of [0, 1, 543, 544, bytes, whole.length - 1]) {
    refused(whole.subarray(0, length), /is not a backup of this program, or is not complete/);
  }
  refused(Buffer.concat([whole, Buffer.of(0)]), /is not complete/);
  refused(readFileSync(join(data, 'store', 'data.mdb')), /is not a backup/);
  writeFileSync(file, whole);
  restore(target, file);
  t.throws(() => restore(join(folder, 'third'), join(folder, 'nothing')), {
    message: /cannot be read: ENOENT/,
  });
});

test('restore: a folder with a store or a foreign file is refused, one with a master key is not', async (t) => {
  const { folder, data, file } = await filled(t);
  await backUp(data, file, NOW);
  t.throws(() => restore(data, file), { name: 'StoreError', message: /is not empty: it has a store\. Move/ });
  const target = join(folder, 'elsewhere');
  mkdirSync(target);
  writeFileSync(join(target, 'notes'), '');
  t.throws(() => restore(target, file), { message: /is not empty: it contains notes\. Move/ });
  const other = join(folder, 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'master.key'), readFileSync(join(data, 'master.key')), { mode: 0o600 });
  restore(other, file);
  const restored = openStore(other);
  t.teardown(() => restored.close());
  t.doesNotThrow(() => new Sealer(restored, ''));
});

const NEWER = new RegExp(`has format ${FORMAT + 1}, and this program supports ${FORMAT}`);

test('backup and restore: a newer format is refused', async (t) => {
  const folder = t.testdir();
  const [data, file] = [join(folder, 'data'), join(folder, 'file')];
  await openStore(data, FORMAT).close();
  await backUp(data, file, NOW);
  const newer = readFileSync(file);
  const text = `"format":${FORMAT}`;
  newer.write(`"format":${FORMAT + 1}`, newer.lastIndexOf(text));
  writeFileSync(file, newer);
  const target = join(folder, 'elsewhere');
  t.throws(() => restore(target, file), {
    name: 'StoreError',
    message: NEWER,
  });
  t.notOk(existsSync(target));
  const store = openStore(data);
  store.change(() => store.table('meta').put(['format'], { format: FORMAT + 1 }));
  await store.close();
  await t.rejects(backUp(data, join(folder, 'second'), NOW), {
    message: NEWER,
  });
});
