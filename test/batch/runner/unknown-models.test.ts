import { type Test, test } from 'tap';
import { ApiError } from '../../../src/api/index.js';
import type { OpenBatch } from '../../../src/batch/index.js';
import { changeWorkspace } from '../../support/access/folder-changes.js';
import { memoryOf } from '../../support/batch/memory.js';
import { DAY_MS, line, lines, reason, until, World } from '../../support/batch/world.js';

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
  const awaitsLane = () => {
    const runner = world.batches['runner'];
    return runner.awaitsLane(runner.find(id) as OpenBatch);
  };
  t.equal(awaitsLane(), true, 'another node of a cluster may run it');
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
  world.engine.unknown.clear();
  t.equal(awaitsLane(), false);
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

const LARGE = 'x'.repeat(24 * 1024 * 1024);

for (const lack of ['unknown', 'without a lane'] as const) {
  test(`large lines after one of a model that is ${lack} are not read again and again`, async (t) => {
    const world = await World.start(t);
    const [key, ...mixedKeys] = [1, 2, 3, 4].map(() => world.key());
    world.engine.room = 0;
    const mixed: Array<{ readonly key: { readonly id: string }; readonly id: string }> = [];
    for (const own of mixedKeys) {
      const file = [line('first', 'a', 'm1'), line('large', LARGE)].join('\n');
      mixed.push({ key: own, id: await world.submit(own, file) });
    }
    const before = world.reads;
    if (lack === 'unknown') world.engine.unknown.add('m1');
    else {
      const run = () => Promise.reject(new Error('no lane works'));
      world.engine.others.set('m1', { wantsBatch: false, workingLanes: 0, run });
    }
    const held = memoryOf(world);
    world.engine.room = 64;
    await until(() => {
      world.clock.advance(100);
      return world.reads >= before + mixed.length;
    });
    // Each chunk of these lines is read once.
    const id = await world.submit(key as { id: string }, lines('a', 1_000));
    await until(() => {
      world.clock.advance(100);
      return world.show(key as { id: string }, id).status === 'done';
    });
    t.equal(world.reads, before + mixed.length + 4);
    if (lack === 'unknown') t.equal(held.bytes, 0, 'lines of unknown models are not kept');
    world.engine.unknown.clear();
    world.engine.others.clear();
    world.batches.modelsChanged();
    await until(() => mixed.every((each) => world.show(each.key, each.id).status === 'done'));
    t.strictSame(world.troubles, []);
  });
}

test('lines that are due for their next try run although the line after them is of an unknown model', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.room = 0;
  const id = await world.submit(key, [line('a'), line('b', 'b', 'm1'), line('c')].join('\n'));
  world.engine.unknown.add('m1');
  world.engine.faults.set('a', [new ApiError('overloaded', 'Not now.')]);
  world.engine.room = 64;
  await world.pass(5);
  t.match(world.show(key, id), { status: 'running', counts: { done: 1, pending: 2 } });
  t.strictSame(world.engine.started, ['a', 'a']);
  world.engine.unknown.clear();
  world.batches.modelsChanged();
  await world.pass(1);
  t.match(world.show(key, id), { status: 'done', counts: { done: 3 } });
});
