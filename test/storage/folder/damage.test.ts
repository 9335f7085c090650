import { cpSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { openStore } from '../../../src/storage/folder/index.js';
import { child } from '../../support/child.js';
import { account } from '../../support/store/opened.js';

const CHILD = new URL('../../support/store/child.js', import.meta.url);

/** A closed folder with so many accounts, written in one transaction that then takes all but `kept` away. */
async function folderOf(t: Test, rows: number, kept: number): Promise<{ folder: string; file: string }> {
  const folder = t.testdir();
  const store = openStore(folder);
  const { key, write } = { key: (at: number) => [`w${at}`], write: store.table('accounts') };
  const all = Array.from({ length: rows }, (_, at) => at);
  await store.write([
    ...all.map((at) => write.write(key(at), account(at))),
    ...all.slice(kept).map((at) => write.write(key(at), null)),
  ]);
  await store.close();
  return { folder, file: join(folder, 'store', 'data.mdb') };
}

/** What a process says that opens a copy of the folder whose data file was changed. It must not crash. */
async function openedAfter(t: Test, folder: string, damage: (file: string) => void): Promise<string> {
  const copy = join(folder, 'copy');
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy);
  cpSync(join(folder, 'store'), join(copy, 'store'), { recursive: true });
  damage(join(copy, 'store', 'data.mdb'));
  const other = child(t, CHILD, [copy]);
  const said = await other.line();
  other.process.stdin?.end();
  t.same(await other.end(), { code: 0, signal: null }, other.errors.join(''));
  return said;
}

/** Where the last used page of a data file ends: the space that is allocated for later pages holds zeros. */
function usedBytes(file: string): number {
  const bytes = readFileSync(file);
  const last = bytes.findLastIndex((byte) => byte !== 0);
  return (Math.floor(last / 4_096) + 1) * 4_096;
}

test('a data file truncated anywhere is an error, not a crash', async (t) => {
  const { folder, file } = await folderOf(t, 300, 300);
  const size = usedBytes(file);
  for (const length of [1, 4_095, 4_096, 8_191, 8_192, 10_000, size / 2, size - 4_096, size - 1]) {
    const said = await openedAfter(t, folder, (copy) => truncateSync(copy, length));
    t.match(said, /^StoreError: /, `${length} of ${size} bytes`);
  }
});

test('a file that is not LMDB’s is an error, not a crash', async (t) => {
  const { folder, file } = await folderOf(t, 10, 10);
  const whole = readFileSync(file);
  for (const byte of [0, 7, 255]) {
    const said = await openedAfter(t, folder, (copy) => writeFileSync(copy, Buffer.alloc(50_000, byte)));
    t.match(said, /^StoreError: .*data\.mdb is damaged/);
  }
  for (const at of [0, 4_096]) {
    const half = Buffer.from(whole).fill(0xa5, at, at + 4_096);
    t.match(
      await openedAfter(t, folder, (copy) => writeFileSync(copy, half)),
      /^StoreError: .*data\.mdb is damaged/,
    );
  }
});

test('an intact store whose last pages LMDB never wrote opens with all its data', async (t) => {
  const { folder, file } = await folderOf(t, 200, 0);
  // As files are that were written before transactions allocated their space.
  const before = usedBytes(file);
  truncateSync(file, before);
  const store = openStore(folder);
  t.ok(statSync(file).size > before, 'the file was short');
  const accounts = store.table('accounts');
  t.same([...accounts.entries()], []);
  await store.write([accounts.write(['acme'], account(1))]);
  await store.close();
  const again = openStore(folder);
  t.equal(again.table('accounts').get('acme')?.charged, '1');
  await again.close();
});
