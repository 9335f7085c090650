// LMDB creates a table whose name is damaged anew: what the table contained would be gone without an error.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { StoreError } from '../../../src/base/index.js';
import { FORMAT, openStore, openToRead, Sealer } from '../../../src/storage/folder/index.js';
import { TABLE_NAMES } from '../../../src/storage/folder/lmdb/tables.js';
import { decider } from '../../support/cli.js';
import { account } from '../../support/store/opened.js';

/** A closed data folder with a few entries, and a function that damages a name in a copy of it. */
async function used(t: Test) {
  const root = t.testdir();
  const folder = join(root, 'first');
  const store = openStore(folder);
  const sealer = new Sealer(store, '');
  const accounts = store.table('accounts');
  await store.write([accounts.write(['w1'], account(1)), sealer.newDataKey('k1').write()]);
  await store.close();
  const copy = join(root, 'copy');
  const file = join(copy, 'store', 'data.mdb');
  const damage = (name: RegExp, to: string) => {
    rmSync(copy, { recursive: true, force: true });
    cpSync(folder, copy, { recursive: true });
    const text = readFileSync(file, 'latin1');
    const damaged = text.replace(name, to);
    t.notSame(damaged, text);
    t.equal(damaged.length, text.length);
    writeFileSync(file, damaged, 'latin1');
    return readFileSync(file);
  };
  return { copy, file, damage };
}

const entry = (name: string) => new RegExp(`(?<![a-z_])${name}(?=\0)`, 'g');
/** Between the same neighbours: LMDB searches the names in their order. */
const other = (name: string) => `${name.slice(0, -1)}~`;

for (const name of TABLE_NAMES) {
  test(`the table ${name} with a damaged name is missed, and not created by a reader`, async (t) => {
    const { copy, file, damage } = await used(t);
    const before = damage(entry(name), other(name));
    t.throws(() => openToRead(copy), {
      name: 'StoreError',
      message: new RegExp(`data\\.mdb .*no table ${name}\\b.*decider restore FILE$`),
    });
    t.ok(readFileSync(file).equals(before), 'nothing was written');
    t.throws(() => openStore(copy), StoreError);
  });
}

test('a folder of an older format has not all tables, and is not called damaged', async (t) => {
  const { copy, file, damage } = await used(t);
  damage(entry('task_monitors'), other('task_monitors'));
  const text = readFileSync(file, 'latin1').replaceAll(`"format":${FORMAT}`, `"format":${FORMAT - 1}`);
  writeFileSync(file, text, 'latin1');
  t.throws(() => openToRead(copy), {
    name: 'StoreError',
    message: new RegExp(
      `data\\.mdb has the older format ${FORMAT - 1}\\. .*start the server, which upgrades the folder\\.$`,
    ),
  });
  t.equal(readFileSync(file, 'latin1'), text, 'nothing was written');
});

test('a folder with entries that lost its format, or the check of its master key, is damaged', async (t) => {
  const { copy, file, damage } = await used(t);
  const verify = () => decider(t, ['verify'], { DECIDER_DATA: copy }).end();
  const format = damage(/format(?=\0*\{)/g, 'FORMAT');
  t.match(await verify(), { code: 1, stderr: /data\.mdb is damaged: the number of its format is lost\. / });
  t.throws(() => openStore(copy), { message: /the number of its format is lost/ });
  t.ok(readFileSync(file).equals(format), 'nothing was written');
  const master = damage(/master(?=\0*\{)/g, 'MASTER');
  t.match(await verify(), {
    code: 1,
    stdout: /^problem +master key .*data\.mdb is damaged: the check of the master key is lost\. /m,
  });
  t.ok(readFileSync(file).equals(master), 'nothing was written');
  const store = openStore(copy);
  t.teardown(() => store.close());
  t.throws(() => new Sealer(store, ''), { message: /the check of the master key is lost/ });
});
