import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { type Test, test } from 'tap';
import { storeSpace } from '../../../src/storage/data-folder/data-folder.js';
import { getKey, getWorkspace } from '../../../src/storage/folder/administration/rows.js';
import { openStore, problemsOfLists, reconcile, type Store } from '../../../src/storage/folder/index.js';
import { FORMAT, serveStore } from '../../../src/storage/folder/lmdb/format.js';
import { requireUpgradeSpace, type Upgrade } from '../../../src/storage/folder/lmdb/upgrade.js';
import { child } from '../../support/child.js';
import { fillFolder } from '../../support/cluster/full-folder.js';
import { account } from '../../support/store/opened.js';

const CHILD = new URL('../../support/store/child.js', import.meta.url);
const UPGRADING = new URL('../../support/store/killed-in-upgrade.js', import.meta.url);
const step = (from: number): Upgrade => ({
  from,
  run: (store) => {
    const digests = store.table('digests');
    digests.put(['steps'], `${digests.get('steps') ?? ''}${from}`);
  },
});
/** Bytes of a large value: more than the test's file has unused. */
const LARGE = 12_000_000;
/** Bytes that a step adds: more than every transaction allocates. */
const GROWTH = 4_000_000;
const noProblems = () => [];

const steps = (store: Store) => store.table('digests').get('steps');
const format = (store: Store) => store.table('meta').get('format')?.format;

/** Opens the folder as a server that knows these upgrades does, and closes it after `look`. */
async function served<Result>(
  folder: string,
  to: number,
  upgrades: readonly Upgrade[],
  look: (store: Store) => Result,
  check: (store: Store) => readonly string[] = noProblems,
): Promise<Result> {
  const { store, leave } = serveStore(folder, check, { format: to, steps: upgrades });
  try {
    return look(store);
  } finally {
    await store.close();
    leave();
  }
}

/** A closed folder of a format with accounts. */
async function older(t: Test, version = 1): Promise<string> {
  const folder = t.testdir();
  const store = openStore(folder, version);
  const accounts = Array.from({ length: 2_000 }, (_, at) =>
    store.table('accounts').write([`w${at}`], account(at)),
  );
  await store.write(accounts);
  await store.close();
  return folder;
}

/** Changes entries of a table as an earlier version stored them. */
function storedEarlier(store: Store, table: 'workspaces' | 'keys', ...without: readonly string[]): void {
  const { database, key } = store.table(table) as unknown as {
    database: RootDatabase<Buffer, Buffer>;
    key(id: string): Buffer;
  };
  for (const { value } of [...store.table(table).entries()]) {
    const fields = Object.entries(value).filter(([name]) => !without.includes(name));
    database.putSync(
      key.call(store.table(table), value.id),
      Buffer.from(JSON.stringify(Object.fromEntries(fields))),
    );
  }
}

test('a folder of format 1: workspaces and keys get names, and lists their tables', async (t) => {
  const folder = join(t.testdir(), 'data');
  const { key } = await fillFolder(folder);
  const store = openStore(folder);
  store.change(() => {
    storedEarlier(store, 'workspaces', 'name', 'closed');
    storedEarlier(store, 'keys', 'name');
    for (const { key } of [...store.table('lists').entries()]) store.table('lists').remove(key);
    store.table('meta').put(['format'], { format: 1 });
  });
  await store.close();
  t.throws(
    () => openStore(folder),
    new RegExp(`has the older format 1, and this program reads ${FORMAT}\\.`),
  );
  const { store: upgraded, leave } = serveStore(folder, (each) => reconcile(each).problems);
  t.equal(format(upgraded), FORMAT);
  t.strictSame(problemsOfLists(upgraded), []);
  t.match(getWorkspace(upgraded, 'w'), { name: null, closed: null, budget: 10n ** 37n });
  t.match(getKey(upgraded, key), { name: null, workspace: 'w', expires: null });
  await upgraded.close();
  leave();
});

/** Nothing was changed: an older server opens the folder. */
async function unchanged(t: Test, folder: string, version = 1): Promise<void> {
  t.notOk(existsSync(join(folder, 'store', 'upgrade')), 'the copy is removed');
  const store = openStore(folder, version);
  t.equal(steps(store), undefined);
  t.equal([...store.table('accounts').keys()].length, 2_000);
  await store.close();
}

test('a command that opened the folder before an upgrade changes nothing after it', async (t) => {
  const folder = await older(t);
  const command = openStore(folder, 1);
  await served(folder, 2, [step(1)], (store) => {
    const change = () => command.table('digests').put(['late'], 'x');
    t.throws(() => command.change(change), /has format 2, and this program supports 1: a newer version/);
    store.refresh();
    t.equal(store.table('digests').get('late'), undefined);
    t.equal(steps(store), '1');
  });
  await command.close();
});

test('a new folder has the newest format, and no step runs', async (t) => {
  await served(t.testdir(), 3, [step(1), step(2)], (store) => {
    t.equal(format(store), 3);
    t.equal(steps(store), undefined);
  });
});

test('an older format is upgraded step by step, once, on a copy first', async (t) => {
  const folder = await older(t);
  // Of an upgrade that was killed.
  mkdirSync(join(folder, 'store', 'upgrade', 'store'), { recursive: true });
  writeFileSync(join(folder, 'store', 'upgrade', 'store', 'data.mdb'), 'half');
  const folders: string[] = [];
  const seen = (each: Upgrade): Upgrade => ({
    from: each.from,
    run: (store) => {
      folders.push(store.folder);
      each.run(store);
    },
  });
  const checked: unknown[] = [];
  for (let round = 0; round < 2; round += 1) {
    await served(
      folder,
      3,
      [seen(step(2)), seen(step(1))],
      (store) => {
        t.equal(steps(store), '12');
        t.equal(format(store), 3);
        t.equal([...store.table('accounts').keys()].length, 2_000);
      },
      (copy) => {
        checked.push([steps(copy), [...copy.table('accounts').keys()].length]);
        return [];
      },
    );
  }
  const copy = join(folder, 'store', 'upgrade');
  t.strictSame(folders, [copy, copy, folder, folder]);
  t.strictSame(checked, [['12', 2_000]]);
  t.notOk(existsSync(copy));
});

test('a step that fails or is missing leaves the folder as it was', async (t) => {
  const folder = await older(t);
  const failing = {
    from: 2,
    run: () => {
      throw new RangeError('no such table.');
    },
  };
  await t.rejects(served(folder, 3, [step(1), failing], noProblems), {
    name: 'StoreError',
    message: `The data folder ${folder} cannot be upgraded from format 1 to 3: no such table. Nothing was changed. Run the version that wrote the folder, and its command: decider verify`,
  });
  await unchanged(t, folder);
  await t.rejects(served(folder, 3, [step(1)], noProblems), {
    name: 'StoreError',
    message: /This program has no upgrade from format 2 to 3\. Nothing was changed/,
  });
  await unchanged(t, folder);
});

test('a copy with an unreadable entry, or whose ledger does not add up, leaves the folder as it was', async (t) => {
  const folder = await older(t);
  const damaging: Upgrade = {
    from: 1,
    run: (store) => {
      const accounts = store.table('accounts');
      accounts['database'].putSync(accounts.key('w7'), Buffer.from('{'));
    },
  };
  await t.rejects(served(folder, 2, [damaging], noProblems), {
    message: /from format 1 to 2: The value w7 of the table accounts is damaged\. Nothing was changed/,
  });
  await unchanged(t, folder);
  const problems = ['One.', 'Two.', 'Three.', 'Four.'];
  await t.rejects(
    served(folder, 2, [step(1)], noProblems, () => problems),
    {
      message: /: One\. Two\. Three\. 1 more problems\. Nothing was changed/,
    },
  );
  await unchanged(t, folder);
});

test('an upgrade needs free space of twice the store and 16 MiB', async (t) => {
  const folder = await older(t);
  const { used } = storeSpace(folder);
  const needed = 2 * used + 16 * 1024 * 1024;
  t.doesNotThrow(() => requireUpgradeSpace(folder, { used, free: needed }));
  t.throws(() => requireUpgradeSpace(folder, { used, free: needed - 1 }), {
    name: 'StoreError',
    message: `The upgrade of the data folder ${folder} needs ${needed} bytes of disk space, and ${needed - 1} are free. Nothing was changed. Free 1 B and start again.`,
  });
});

test('each run of the steps finds its space allocated, and the copy occupies none when they run on the store', async (t) => {
  const folder = await older(t);
  const before = openStore(folder, 1);
  before.change(() => before.table('digests').put(['before'], 'x'.repeat(LARGE)), LARGE);
  const used = before.extentBytes();
  await before.close();
  const sizes: number[] = [];
  const growing: Upgrade = {
    from: 1,
    run: (store) => {
      sizes.push(statSync(join(store.folder, 'store', 'data.mdb')).size);
      if (store.folder === folder && process.platform === 'linux') {
        // LMDB maps its file: the space is free again when no process has it open or mapped.
        t.notMatch(readFileSync('/proc/self/maps', 'utf8'), join(folder, 'store', 'upgrade'));
      }
      store.table('digests').put(['large'], 'x'.repeat(GROWTH));
    },
  };
  await served(folder, 2, [growing], (store) => {
    const [copy = 0, real = 0] = sizes;
    const after = store.extentBytes();
    t.ok(after >= used + GROWTH, `${used} bytes became ${after}`);
    t.ok(copy >= 2 * used, `${copy} bytes for the steps on the copy`);
    t.ok(real >= after, `${real} bytes for the steps on the store`);
    t.ok(real < copy);
  });
  t.equal(sizes.length, 2);
});

test('a start removes the copy of an upgrade that was killed, also if there is nothing to upgrade', async (t) => {
  const folder = await older(t);
  const copy = join(folder, 'store', 'upgrade');
  mkdirSync(join(copy, 'store'), { recursive: true });
  await served(folder, 1, [], () => t.notOk(existsSync(copy)));
});

test('a command refuses an older format, and says that the server upgrades it', async (t) => {
  const folder = await older(t);
  t.throws(() => openStore(folder, 2), {
    name: 'StoreError',
    message: /has the older format 1, and this program reads 2\. Use .* or start the server, which upgrades/,
  });
  await unchanged(t, folder);
});

test('a newer format is refused and not changed', async (t) => {
  const folder = t.testdir();
  await openStore(folder, 3).close();
  const newer = { name: 'StoreError', message: /has format 3, and this program supports 2/ };
  t.throws(() => openStore(folder, 2), newer);
  await t.rejects(served(folder, 2, [step(1)], noProblems), newer);
  t.throws(() => openStore(folder, 2), newer);
});

test('nothing is upgraded while another process serves the folder; a kill during an upgrade leaves the older format', async (t) => {
  const folder = await older(t, FORMAT);
  const server = child(t, CHILD, [folder]);
  t.equal(await server.line(), 'open');
  const pid = await server.ask('serve');
  await t.rejects(served(folder, FORMAT + 1, [step(FORMAT)], noProblems), {
    name: 'StoreError',
    message: new RegExp(`process ${pid} on`),
  });
  server.process.kill('SIGKILL');
  await server.end();
  for (const at of ['copy', 'store'] as const) {
    const upgrading = child(t, UPGRADING, [folder, at]);
    await upgrading.end();
    t.equal(upgrading.process.signalCode, 'SIGKILL', at);
    t.equal(existsSync(join(folder, 'store', 'upgrade')), at === 'copy');
  }
  await unchanged(t, folder, FORMAT);
  await served(folder, FORMAT + 1, [step(FORMAT)], (store) => t.equal(steps(store), String(FORMAT)));
  t.notOk(readdirSync(join(folder, 'store')).includes('upgrade'));
});
