import { type Test, test } from 'tap';
import { changeWorkspace } from '../../support/access/folder-changes.js';
import { DAY_MS, line, lines, reason, World } from '../../support/batch/world.js';

/** A world with a batch of a model, `m1`, that a later start does not know. */
async function startWithout(t: Test) {
  const world = await World.start(t);
  const key = world.key();
  world.engine.room = 0;
  const id = await world.submit(key, [line('a', 'a', 'm1'), line('b')].join('\n'));
  const other = await world.submit(key, lines('c', 3));
  world.engine.unknown.add('m1');
  world.engine.room = 64;
  const reload = () => {
    world.engine.unknown.clear();
    world.batches.modelsChanged();
  };
  return { world, key, id, other, reload };
}

test('lines of an unknown model wait, without a try, until a reload adds it', async (t) => {
  const { world, key, id, other, reload } = await startWithout(t);
  await world.pass(60);
  t.match(world.show(key, id), { status: 'queued', counts: { done: 0, failed: 0, pending: 2 } });
  t.match(world.show(key, other), { status: 'done' }, 'other batches of the key go on');
  t.strictSame(
    [...world.batches.openByModel],
    [
      ['m1', 1],
      ['m', 1],
    ],
  );
  t.match(
    await reason(world.submit(key, line('d', 'd', 'm1'))),
    { type: 'batch_unavailable' },
    'a new batch of it is refused',
  );
  reload();
  await world.pass(1);
  t.match(world.show(key, id), { status: 'done', counts: { done: 2 } });
  t.strictSame(world.troubles, []);
});

test('whether a workspace may use an unknown model shows when it is there again', async (t) => {
  const { world, key, id, reload } = await startWithout(t);
  changeWorkspace(world.store, world.clock, 'w', { models: ['m'] });
  await world.pass(60);
  t.match(world.show(key, id), { counts: { failed: 0, pending: 2 } });
  reload();
  await world.pass(1);
  t.match(world.show(key, id), { status: 'done', counts: { done: 1, failed: 1 } });
  t.match((await world.collect(key, id))[0], { status: null, error: { type: 'model_not_allowed' } });
});

test('a cancel and the end of the window finish a batch of an unknown model', async (t) => {
  const { world, key, id } = await startWithout(t);
  world.engine.unknown.clear();
  world.engine.room = 0;
  const cancelled = await world.submit(key, line('d', 'd', 'm1'));
  world.engine.unknown.add('m1');
  world.engine.room = 64;
  await world.batches.cancel(world.caller(key), cancelled);
  t.match(world.show(key, cancelled), { status: 'cancelled', counts: { failed: 1 } });
  world.clock.advance(DAY_MS);
  await world.pass(2);
  t.match(world.show(key, id), { status: 'failed', reason: 'expired' });
});
