import { test } from 'tap';
import { BatchStorage } from '../../src/batch/storage.js';
import type { RawWrite } from '../../src/store/index.js';
import { DAY_MS, line, lines, reason, SECOND_MS, until, World } from '../support/batch/world.js';

const value = (bytes: number): RawWrite => ({
  table: 'batch_lines',
  key: Buffer.from('b'),
  value: Buffer.alloc(bytes),
});

test('stored batches: a batch is accepted at the bound and refused one byte past it', async (t) => {
  const storage = new BatchStorage({ bytesOf: () => 600 }, () => 1_000);
  const take = (...writes: RawWrite[]) => reason(Promise.resolve().then(() => void storage.take(writes)));
  t.match(await take(value(201), value(200)), {
    type: 'batch_unavailable',
    headers: { retryAfterSeconds: 300 },
  });
  const release = storage.take([value(200), value(200), { ...value(0), value: null }]);
  t.match(await take(value(1)), { type: 'batch_unavailable' }, 'beside one that is being written');
  release();
  t.equal(await take(value(400)), undefined);
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
