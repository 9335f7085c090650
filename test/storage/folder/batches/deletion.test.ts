import { test } from 'tap';
import type { TableName } from '../../../../src/storage/folder/index.js';
import { DAY_MS, lines, reason, until, World } from '../../../support/batch/world.js';

const KEPT: readonly TableName[] = ['batches', 'batch_order', 'batch_ids', 'batch_results', 'data_keys'];
const TEN_MINUTES_S = 600;

/** Which tables hold anything of batches. */
const held = ({ store }: World) =>
  ([...KEPT, 'batch_lines', 'batch_webhooks', 'submissions'] as const).filter(
    (name) => store.table(name).keys().next().done !== true,
  );

async function finishedBatch(world: World) {
  const key = world.key();
  const id = await world.submit(key, lines('a', 3), { webhook: 'https://a.example/', idempotencyKey: 'k' });
  await world.finished(key, id);
  await world.access.flush();
  return { key, id };
}

test('the lines are deleted when a batch finishes, the rest 14 days later with the next deletion run', async (t) => {
  const world = await World.start(t);
  const { key, id } = await finishedBatch(world);
  t.strictSame(held(world), [...KEPT, 'batch_webhooks', 'submissions']);
  world.clock.advance(14 * DAY_MS - 1);
  await world.pass(0);
  t.equal((await world.collect(key, id)).length, 3);
  world.clock.advance(1);
  await until(() => {
    world.clock.advance(TEN_MINUTES_S * 1_000);
    return held(world).length === 0;
  });
  t.match(await reason(world.collect(key, id)), { type: 'batch_not_found', status: 404 });
  t.strictSame(await world.list(key), { object: 'list', data: [] });
  t.ok([...world.store.table('usage').entries()].length > 0, 'numbers remain');
  t.strictSame(await world.problems(), []);
  t.strictSame(world.troubles, []);
});

test('7 days after the first collection', async (t) => {
  const world = await World.start(t);
  const { key, id } = await finishedBatch(world);
  world.clock.advance(2 * DAY_MS);
  await world.collect(key, id);
  world.clock.advance(5 * DAY_MS);
  await world.collect(key, id);
  t.match(world.show(key, id), { delete_after: '2026-05-19T12:00:00.000+00:00' });
  await world.pass(1);
  t.equal(held(world).includes('data_keys'), true);
  world.clock.advance(2 * DAY_MS);
  await until(() => {
    world.clock.advance(TEN_MINUTES_S * 1_000);
    return held(world).length === 0;
  });
});

test('the data key is deleted first; the next process completes a deletion interrupted by a crash', async (t) => {
  const world = await World.start(t);
  const { key, id } = await finishedBatch(world);
  const { write } = world.store;
  const tables: string[] = [];
  world.store.write = async (writes) => {
    if (writes.some(({ table }) => table === 'batch_results')) throw new Error('cut off');
    tables.push(...writes.map(({ table }) => table));
    return write.call(world.store, writes);
  };
  world.clock.advance(14 * DAY_MS);
  await until(() => {
    world.clock.advance(TEN_MINUTES_S * 1_000);
    return world.troubles.includes('cut off');
  });
  t.ok(tables.includes('data_keys'));
  t.strictSame(held(world).includes('data_keys'), false);
  t.ok(held(world).includes('batch_results'), 'they are still stored, but nothing can decrypt them');
  t.strictSame(await world.list(key), { object: 'list', data: [] });
  t.match(await reason(world.collect(key, id)), { type: 'batch_not_found' });
  t.strictSame(await world.problems(), [], 'while it is being deleted');
  await world.crash();
  await until(() => held(world).length === 0);
  t.strictSame(await world.problems(), []);
});

test('a damaged batch or submission is reported, and does not keep others from being deleted', async (t) => {
  const world = await World.start(t);
  const { key } = await finishedBatch(world);
  const { store } = world;
  // Before all others.
  await store.write([
    { table: 'batches', key: store.table('batches').key('a'), value: Buffer.from('{') },
    { table: 'submissions', key: store.table('submissions').key('a', 'a'), value: Buffer.from('{') },
  ]);
  world.clock.advance(14 * DAY_MS);
  await until(() => {
    world.clock.advance(TEN_MINUTES_S * 1_000);
    return store.table('data_keys').keys().next().done === true;
  });
  await until(() => world.troubles.length > 0);
  t.match(world.troubles, [/The value a of the table batches is damaged/]);
  t.strictSame(
    [...store.table('submissions').keys()].map(([owner]) => owner),
    ['a'],
  );
  t.strictSame(await world.list(key), { object: 'list', data: [] });
});

test('open batches and recent ones are not deleted', async (t) => {
  const world = await World.start(t);
  const { key, id } = await finishedBatch(world);
  world.engine.room = 0;
  const open = await world.submit(key, lines('b', 2));
  await world.pass(2 * TEN_MINUTES_S);
  t.match(world.show(key, open), { status: 'queued' });
  t.equal((await world.collect(key, id)).length, 3);
});
