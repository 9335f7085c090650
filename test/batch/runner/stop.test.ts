import { test } from 'tap';
import { ApiError } from '../../../src/api/index.js';
import { reconcile } from '../../../src/storage/folder/index.js';
import { revokeKey } from '../../support/access/folder-changes.js';
import { DAY_MS, line, lines, reason, turns, until, World } from '../../support/batch/world.js';

test('a stop drops the lines in progress without counting a try; the next process runs them again', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  const fault = () => new ApiError('internal_error', 'Not now.');
  world.engine.faults.set('a0', [fault(), fault(), fault(), fault()]);
  world.engine.answersAtOnce = false;
  const id = await world.submit(key, lines('a', 3));
  await world.pass(20);
  t.equal(world.engine.started.filter((each) => each === 'a0').length, 5, 'the fifth try is under way');
  const { engine } = world;
  await world.restart();
  t.equal(engine.waiting.size, 0, 'no plan waits for the engine any more');
  t.match(await world.finished(key, id), { status: 'done', counts: { done: 3, failed: 0 } });
  t.strictSame([...world.engine.started].sort(), ['a0', 'a1', 'a2']);
  t.strictSame(
    world.troubles.filter((message) => message !== 'Not now.'),
    [],
  );
});

test('after a stop nothing starts, whatever happens', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.answersAtOnce = false;
  world.engine.room = 2;
  const id = await world.submit(key, lines('a', 9), { webhook: 'https://a.example/' });
  await turns();
  const { engine } = world;
  const before = engine.started.length;
  t.ok(before < 5);
  await world.batches.stop();
  await world.pass(30);
  t.equal(engine.started.length, before);
  t.match(world.show(key, id), { status: 'running', counts: { pending: 9 } });
  t.strictSame(world.called, []);
});

for (const how of ['restart', 'crash'] as const) {
  test(`a cancel before a ${how} ends the batch; lines that were in progress have not run`, async (t) => {
    const world = await World.start(t);
    const key = world.key();
    world.engine.answersAtOnce = false;
    world.engine.room = 2;
    const id = await world.submit(key, lines('a', 6));
    await turns();
    world.engine.answer('a0');
    await turns();
    await world.batches.cancel(world.caller(key), id);
    t.match(world.show(key, id), { status: 'cancelled', results_available: false, finished_at: null });
    t.match(await reason(world.collect(key, id)), { type: 'batch_not_finished' });
    t.strictSame(await world.problems(), [], 'while it is being cancelled');
    await world[how]();
    t.match(world.show(key, id), { status: 'cancelled', counts: { done: 1, failed: 5, pending: 0 } });
    t.strictSame(
      (await world.collect(key, id)).map(({ error, status }) => error?.type ?? status),
      [200, ...Array.from({ length: 5 }, () => 'cancelled')],
    );
    t.strictSame(world.engine.started, []);
    t.strictSame(await world.problems(), []);
  });

  test(`a window that ends while no process runs (${how})`, async (t) => {
    const world = await World.start(t);
    const key = world.key();
    world.engine.answersAtOnce = false;
    world.engine.room = 1;
    const id = await world.submit(key, lines('a', 3));
    const never = await world.submit(key, line('b'));
    await turns();
    world.engine.answer('a0');
    await turns();
    await world.access.flush();
    const again = world[how];
    world.clock.set(world.clock.now() + DAY_MS);
    await again.call(world);
    t.match(world.show(key, id), { status: 'done', reason: null, counts: { done: 1, failed: 2 } });
    t.match(world.show(key, never), { status: 'failed', reason: 'expired' });
    t.strictSame(
      (await world.collect(key, id)).map(({ error, status }) => [status, error?.type]),
      [
        [200, undefined],
        [null, 'expired'],
        [null, 'expired'],
      ],
    );
    await world.access.flush();
    t.strictSame(reconcile(world.store).problems, []);
    t.strictSame(await world.problems(), []);
  });
}

test('a damaged batch is reported, does not change, and does not prevent a start', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.room = 0;
  const [broken, whole] = [await world.submit(key, lines('a', 2)), await world.submit(key, lines('b', 2))];
  const keys = world.store.table('data_keys');
  await world.store.write([keys.write([broken], Buffer.alloc(60))]);
  await world.restart();
  t.match(world.troubles, [/data_keys is damaged/]);
  t.match(await world.finished(key, whole), { status: 'done' });
  t.match(world.show(key, broken), { status: 'queued' });
  await world.batches.cancel(world.caller(key), broken);
  t.match(world.show(key, broken), { status: 'cancelled', results_available: true, counts: { failed: 2 } });
  await world.restart();
  t.match(world.show(key, broken), { status: 'cancelled' });
});

test('a batch whose data key is damaged expires, and is deleted', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.room = 0;
  const id = await world.submit(key, lines('a', 2));
  await world.store.write([world.store.table('data_keys').write([id], Buffer.alloc(60))]);
  await world.restart();
  world.clock.advance(DAY_MS);
  await until(() => world.show(key, id).status === 'failed');
  t.match(world.show(key, id), { reason: 'expired', counts: { failed: 2 } });
  world.clock.advance(14 * DAY_MS);
  await until(() => {
    world.clock.advance(1_000);
    return [...world.store.table('batches').entries()].length === 0;
  });
});

test('lines that cannot be read stop their batch alone, which expires', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.room = 0;
  const [broken, whole] = [await world.submit(key, lines('a', 2)), await world.submit(key, lines('b', 2))];
  await world.store.write([world.store.table('batch_lines').write([broken, 0], Buffer.alloc(60))]);
  world.engine.room = 9;
  await world.pass(3);
  t.match(world.show(key, whole), { status: 'done' });
  t.match(world.show(key, broken), { status: 'queued' });
  t.match(world.troubles, [/batch_lines is damaged/], 'told once');
  world.clock.advance(DAY_MS);
  await until(() => world.show(key, broken).status === 'failed');
  t.match(await world.collect(key, broken), [{ error: { type: 'expired' } }, { error: { type: 'expired' } }]);
});

test('many lines that wait for the engine cause no warning about listeners', async (t) => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  t.teardown(() => process.off('warning', onWarning));
  const world = await World.start(t);
  world.engine.answersAtOnce = false;
  await world.submit(world.key(), lines('a', 20));
  await until(() => world.engine.waiting.size === 20);
  await turns();
  t.strictSame(warnings, []);
});

test('a key that is revoked while lines of an expired batch are in progress ends it as revoked', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.answersAtOnce = false;
  const id = await world.submit(key, lines('a', 2));
  await turns();
  world.engine.answer('a0');
  world.clock.advance(DAY_MS);
  await world.pass(2);
  t.match(world.show(key, id), { status: 'running', results_available: false });
  t.strictSame(await world.problems(), [], 'while it expires');
  revokeKey(world.store, world.clock, key.id);
  await world.pass(2);
  t.match(world.show(key, id), { status: 'failed', reason: 'key_revoked', results_available: false });
  t.strictSame(await world.problems(), [], 'while it ends');
  world.engine.answer('a1');
  await turns();
  t.match(world.show(key, id), { status: 'failed', counts: { done: 2, failed: 0 }, results_available: true });
  t.strictSame(await world.problems(), []);
});
