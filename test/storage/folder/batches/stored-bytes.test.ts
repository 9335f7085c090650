import { test } from 'tap';
import type { Batch } from '../../../../src/batch/index.js';
import { entryBytes, requireStoredRoom } from '../../../../src/batch/stored-bytes.js';
import { FolderStoredBytes } from '../../../../src/storage/folder/batches/stored-bytes.js';
import type { RawWrite } from '../../../../src/storage/folder/lmdb/writes.js';
import { DAY_MS, line, lines, reason, SECOND_MS, until, World } from '../../../support/batch/world.js';

/** A new batch whose lines are one value of so many bytes. */
const batchOf = (workspace: string, bytes = 0) =>
  ({ id: 'b', workspace, state: 'queued', stored: { lines: entryBytes(bytes), other: 0 } }) as Batch;

const value = (bytes: number): RawWrite => ({
  table: 'batch_lines',
  key: Buffer.from('b'),
  value: Buffer.alloc(bytes),
});

test('stored batches: a batch is accepted at the bound and refused one byte past it', async (t) => {
  const storage = new FolderStoredBytes(
    { bytesOf: () => 600 },
    { storedBytesMax: () => 1_000, workspacePercent: () => 100 },
  );
  const take = (...writes: RawWrite[]) =>
    reason(Promise.resolve().then(() => void storage.take(batchOf('w'), writes)));
  t.match(await take(value(201), value(200)), {
    type: 'batch_unavailable',
    headers: { retryAfterSeconds: 300 },
  });
  const release = storage.take(batchOf('w'), [value(200), value(200), { ...value(0), value: null }]);
  t.match(await take(value(1)), { type: 'batch_unavailable' }, 'beside one that is being written');
  release();
  t.equal(await take(value(400)), undefined);
});

test('stored batches: the share of a workspace may be exactly what it is', (t) => {
  for (const mebibytes of [29, 35, 64 * 1024]) {
    const max = mebibytes * 1024 ** 2;
    for (const percent of [25, 45, 50, 85, 100]) {
      const bounds = { storedBytesMax: () => max, workspacePercent: () => percent };
      const share = Math.floor((max * percent) / 100);
      t.doesNotThrow(() => requireStoredRoom(bounds, share, share), `${percent} % of ${mebibytes} MiB`);
      t.throws(() => requireStoredRoom(bounds, share, share + 1), /the server's batch storage/);
    }
  }
  t.end();
});

test('stored batches: a server beyond the bound refuses new ones and finishes those it has', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.answersAtOnce = false;
  const id = await world.submit(key, lines('a', 40));
  const stored = world.store.bytesOf('batch');
  t.ok(stored > 0);
  world.storedBytesMax = stored;
  await world.restart();
  t.match(await reason(world.submit(key, line('more'), { idempotencyKey: 'k' })), {
    type: 'batch_unavailable',
    status: 503,
  });
  t.match(
    await reason(world.submit(key, 'not JSON')),
    { type: 'batch_unavailable' },
    'before the file is read',
  );
  await world.finished(key, id);
  t.equal((await world.collect(key, id)).length, 40);
  world.storedBytesMax = world.store.bytesOf('batch') + 100_000;
  await world.restart();
  t.match(
    await world.submit(key, line('more'), { idempotencyKey: 'k' }),
    /^batch_/,
    'after more was allowed',
  );
});

test('stored batches: the measure is pages of the tables of batches, and shrinks when a batch is deleted', async (t) => {
  const world = await World.start(t);
  const before = world.store.bytesOf('batch');
  t.equal(before, 0);
  const key = world.key();
  const id = await world.submit(key, lines('a', 500));
  await world.finished(key, id);
  await world.collect(key, id);
  const full = world.store.bytesOf('batch');
  t.ok(full > 500 * 100, `${full} bytes`);
  world.clock.advance(8 * DAY_MS);
  await until(() => {
    world.clock.advance(600 * SECOND_MS);
    return world.store.table('batches').get(id) === undefined;
  });
  t.ok(world.store.bytesOf('batch') < full / 10);
});

test('stored batches: a workspace is refused one byte past its share, and others are not', async (t) => {
  const bounds = { storedBytesMax: () => 10_000, workspacePercent: () => 20 };
  const storage = new FolderStoredBytes({ bytesOf: () => 0 }, bounds);
  const take = (workspace: string, bytes: number) =>
    reason(Promise.resolve().then(() => storage.take(batchOf(workspace, bytes), [])));
  t.equal(entryBytes(2_048), 64 + 2_048);
  t.equal(entryBytes(2_049), 64 + 4_096, 'a page of its own');
  const release = storage.take(batchOf('w', 2_000 - 64), []);
  t.match(await take('w', 0), {
    type: 'batch_unavailable',
    message:
      "The workspace has used its 20 % of the server's batch storage. Wait until some of its batches are deleted.",
    headers: { retryAfterSeconds: 300 },
  });
  release();
  t.match(await take('w', 2_000 - 63), { type: 'batch_unavailable' });
  t.equal(await take('w', 2_000 - 64), undefined);
  t.match(await take('w', 0), { type: 'batch_unavailable' });
  t.equal(await take('v', 2_000 - 64), undefined);
});

test('stored batches: a workspace beyond its share may submit again when its batches are deleted, also after a restart', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  const other = world.key(null, world.workspace('other', 1_000_000_000n));
  const id = await world.submit(key, lines('a', 500));
  await world.finished(key, id);
  const row = () => world.store.table('batches').get(id);
  // Also writes what callers see to the disk.
  await world.collect(key, id);
  const taken = row()?.stored?.other ?? 0;
  t.ok(taken > 500 * 100, `its results count: ${taken} bytes`);
  // Lines count until the batch has finished.
  world.storedBytesMax = taken * 4;
  world.workspacePercent = 25;
  for (const when of ['now', 'after a restart']) {
    t.match(await reason(world.submit(key, line('more'))), { type: 'batch_unavailable', status: 503 }, when);
    await world.restart();
  }
  t.match(await world.submit(other, line('more')), /^batch_/, 'another workspace');
  world.clock.advance(8 * DAY_MS);
  await until(() => {
    world.clock.advance(600 * SECOND_MS);
    return row() === undefined;
  });
  t.match(await world.submit(key, line('more')), /^batch_/, 'after the deletion');
});
