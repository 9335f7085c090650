import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { type Database, statement } from '../../../src/storage/database/index.js';
import { storeExists } from '../../../src/storage/index.js';
import { correspondenceOf, MOVED_TABLES } from '../../../src/storage/move/correspondence.js';
import { moveToDatabase, moveToFolder } from '../../../src/storage/move/index.js';
import { child } from '../../support/child.js';
import { folderContent } from '../../support/cluster/folder-content.js';
import { fillFolder } from '../../support/cluster/full-folder.js';
import { connectTo, NEEDS_POSTGRES, newDatabase, postgres } from '../../support/postgres.js';
import { LONG } from '../../support/scale.js';
import { TcpProxy } from '../../support/tcp-proxy.js';

const CHILD = new URL('../../support/cluster/killed-move.js', import.meta.url);
const POINTS = LONG
  ? ['copy', 'compare'].flatMap((step, offset) =>
      MOVED_TABLES.filter((_, at) => at % 4 === 2 * offset).map((table) => `${step} ${table}`),
    )
  : ['copy batch_ids', 'compare data_keys'];
/** A database has an index for each of these tables. */
const UNCOPIED = MOVED_TABLES.filter((name) => correspondenceOf(name).isIndex).map((name) => `copy ${name}`);
const ignore = () => {};

const tablesOf = [...new Set(MOVED_TABLES.map((name) => correspondenceOf(name).table)), 'batch_chunks'];

async function rowsIn(database: Database): Promise<number> {
  const counts = tablesOf.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ');
  const [row] = await database.query<{ rows: number }>(statement('rows', `SELECT ${counts} AS rows`));
  return row?.rows ?? -1;
}

test('a killed move to a database leaves it empty, and can be repeated', NEEDS_POSTGRES, async (t) => {
  const folder = join(t.testdir(), 'data');
  const { masterKey } = await fillFolder(folder);
  const before = await folderContent(folder);
  const { database, url } = await newDatabase(t);
  for (const at of POINTS.filter((point) => !UNCOPIED.includes(point))) {
    const moving = child(t, CHILD, ['database', folder, url, masterKey.toString('hex'), at]);
    t.match(await moving.end(), { signal: 'SIGKILL' }, at + moving.errors.join(''));
    t.equal(await rowsIn(database), 0, at);
  }
  await moveToDatabase({ folder, database, masterKey }, ignore);
  t.strictSame(await folderContent(folder), before);
});

test('a killed move to a folder leaves no store, and can be repeated', NEEDS_POSTGRES, async (t) => {
  const folder = join(t.testdir(), 'data');
  const back = join(t.testdirName, 'back');
  const { masterKey } = await fillFolder(folder);
  const { database, url } = await newDatabase(t);
  await moveToDatabase({ folder, database, masterKey }, ignore);
  const rows = await rowsIn(database);
  for (const at of POINTS) {
    const moving = child(t, CHILD, ['folder', back, url, masterKey.toString('hex'), at]);
    t.match(await moving.end(), { signal: 'SIGKILL' }, at + moving.errors.join(''));
    t.notOk(storeExists(back), at);
    t.ok(existsSync(join(back, 'store', 'unfinished')));
  }
  await moveToFolder({ folder: back, database, masterKey }, ignore);
  t.strictSame(readdirSync(join(back, 'store')).sort(), ['data.mdb', 'lock.mdb']);
  t.strictSame(await folderContent(back), await folderContent(folder));
  t.equal(await rowsIn(database), rows);
});

test('a connection that is lost leaves nothing in the destination', NEEDS_POSTGRES, async (t) => {
  const folder = join(t.testdir(), 'data');
  const back = join(t.testdirName, 'back');
  const { masterKey } = await fillFolder(folder);
  const { database, url } = await newDatabase(t);
  const server = await postgres();
  const proxy = await TcpProxy.start(t, server.port);
  const through = connectTo(t, url.replace(`:${server.port}/`, `:${proxy.port}/`));
  const cutAt = (at: string) => (step: string, table: string) => {
    if (`${step} ${table}` === at) proxy.cut();
  };
  for (const at of ['copy batch_lines', 'compare keys']) {
    await t.rejects(moveToDatabase({ folder, database: through, masterKey }, cutAt(at)), {
      name: 'DatabaseUnavailable',
    });
    t.equal(await rowsIn(database), 0);
  }
  await moveToDatabase({ folder, database: through, masterKey }, ignore);
  for (const at of ['copy batch_lines', 'compare keys']) {
    await t.rejects(moveToFolder({ folder: back, database: through, masterKey }, cutAt(at)), {
      name: 'DatabaseUnavailable',
    });
    t.notOk(storeExists(back));
    t.strictSame(readdirSync(join(back, 'store')), []);
  }
});
