import { test } from 'tap';
import { CHANGES } from '../../../../src/access/index.js';
import { apply } from '../../../../src/batch/index.js';
import { makeChange } from '../../../../src/storage/folder/administration/change.js';
import type { TableName } from '../../../../src/storage/folder/index.js';
import { lines, reason, until, World } from '../../../support/batch/world.js';

const TABLES: readonly TableName[] = [
  'batches',
  'batch_order',
  'batch_ids',
  'batch_lines',
  'batch_results',
  'batch_webhooks',
  'batch_erasures',
  'data_keys',
  'submissions',
];

/** Which tables hold anything of batches. */
const held = ({ store }: World) => TABLES.filter((name) => store.table(name).keys().next().done !== true);
const DELETION_S = 600;
const SENT = { webhook: 'https://a.example/', idempotencyKey: 'k' };

const erase = (world: World, id: string) => makeChange(world.store, world.clock, CHANGES.eraseBatch(id));

async function removed(world: World): Promise<void> {
  await until(() => {
    world.clock.advance(DELETION_S * 1_000);
    return held(world).length === 0;
  });
}

test('a finished batch: unreadable at once, not found within a second, then removed', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  const id = await world.submit(key, lines('a', 3), SENT);
  await world.finished(key, id);
  await world.access.flush();
  t.match(erase(world, id), { id, workspace: 'w', key: key.id, state: 'done' });
  t.notOk(held(world).includes('data_keys'));
  t.notOk(held(world).includes('batch_webhooks'));
  t.match(await reason(world.collect(key, id)), { type: 'batch_not_found' });
  t.strictSame(await world.problems(), [], 'while it is being removed');
  await world.pass(2);
  t.match(await reason(Promise.resolve().then(() => world.show(key, id))), { type: 'batch_not_found' });
  t.strictSame(await world.list(key), { object: 'list', data: [] });
  const again = await world.submit(key, lines('a', 3), SENT);
  t.not(again, id, 'the same submission makes a new batch');
  erase(world, again);
  await world.pass(2);
  await removed(world);
  t.strictSame(await world.problems(), []);
  t.strictSame(world.troubles, []);
  const entries = [...world.store.table('audit').entries()].map(({ value }) => value.action);
  t.equal(entries.filter((action) => action === 'batch.erase').length, 2);
});

test('an erased batch submitted again before the disk has the erasure: a new batch', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  const id = await world.submit(key, lines('a', 3), SENT);
  await world.finished(key, id);
  await world.access.flush();
  const flush = world.access.flush.bind(world.access);
  let release = () => {};
  const disk = new Promise<void>((resolve) => {
    release = resolve;
  });
  world.access.flush = () => disk.then(flush);
  erase(world, id);
  await world.pass(2);
  const submitted = Promise.all([1, 2].map(() => world.submit(key, lines('a', 3), SENT)));
  await world.pass(2);
  release();
  const [again, same] = await submitted;
  t.not(again, id);
  t.equal(same, again);
  await world.access.flush();
  t.equal(await world.submit(key, lines('a', 3), SENT), again, 'its idempotency key is stored');
});

for (const state of ['finished', 'open'] as const) {
  for (const same of [true, false]) {
    test(`a ${state} batch that was erased, and ${same ? 'the same' : 'another'} file at once: a new batch, which stays`, async (t) => {
      const world = await World.start(t);
      Object.assign(world.engine, { answersAtOnce: state === 'finished' });
      const key = world.key();
      const id = await world.submit(key, lines('a', 3), SENT);
      if (state === 'finished') await world.finished(key, id);
      else await until(() => world.engine.waiting.size > 0);
      await world.access.flush();
      erase(world, id);
      const file = lines(same ? 'a' : 'b', 3);
      const again = await world.submit(key, file, SENT);
      t.not(again, id);
      world.engine.answersAtOnce = true;
      world.engine.answerAll();
      await world.finished(key, again);
      await world.pass(2);
      t.match(world.show(key, again), { id: again, status: 'done' });
      t.equal(await world.submit(key, file, SENT), again, 'its idempotency key is stored');
      t.strictSame(world.troubles, []);
    });
  }
}

test('a running batch: no further line starts, those in progress are charged, its webhook is not called', async (t) => {
  const world = await World.start(t);
  Object.assign(world.engine, { answersAtOnce: false, room: 2 });
  const key = world.key();
  const id = await world.submit(key, lines('a', 5), { webhook: 'https://a.example/' });
  await until(() => world.engine.waiting.size > 0);
  await world.access.flush();
  const { length: begun } = world.engine.started;
  t.match(erase(world, id), { state: 'running' });
  await world.pass(2);
  t.match(await reason(Promise.resolve().then(() => world.show(key, id))), { type: 'batch_not_found' });
  world.clock.advance(DELETION_S * 1_000);
  await world.pass(0);
  t.ok(held(world).includes('batches'), 'not removed while a line is in progress');
  world.engine.answersAtOnce = true;
  world.engine.answerAll();
  await until(() => world.batches.openCount === 0);
  t.equal(world.engine.started.length, begun);
  await removed(world);
  t.strictSame(world.called, []);
  t.strictSame(await world.problems(), []);
  t.strictSame(world.troubles, []);
});

test('an erasure while no server runs, or just before a crash, is completed by the next one', async (t) => {
  const world = await World.start(t);
  Object.assign(world.engine, { answersAtOnce: false, room: 1 });
  const key = world.key();
  const id = await world.submit(key, lines('a', 3));
  await until(() => world.engine.waiting.size > 0);
  await world.access.flush();
  erase(world, id);
  await world.crash();
  t.match(await reason(Promise.resolve().then(() => world.show(key, id))), { type: 'batch_not_found' });
  t.equal(world.batches.openCount, 0);
  await removed(world);
  t.strictSame(world.engine.started, []);
  t.strictSame(world.troubles, []);
});

test('an unknown batch, one that was erased, and no id at all are refused', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  const id = await world.submit(key, lines('a', 1));
  await world.finished(key, id);
  await world.access.flush();
  erase(world, id);
  for (const unknown of [id, `batch_${'x'.repeat(24)}`, '', 'w', 'x'.repeat(3_000), '../x'])
    t.throws(() => erase(world, unknown), { name: 'AccessError', argument: 'batch', refusal: 'not_found' });
});

test('an erased batch stays erased, whatever follows', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  const id = await world.submit(key, lines('a', 1), SENT);
  await world.finished(key, id);
  await world.access.flush();
  const batch = world.store.table('batches').get(id);
  if (batch === undefined) throw new Error('no batch');
  const erased = apply(batch, 'erase', 0);
  t.match(erased, { state: 'done', deleted: true, webhook: null });
  t.equal(apply(erased, 'erase', 1), erased);
});
