import { type Test, test } from 'tap';
import { reconcile } from '../../../src/storage/folder/index.js';
import { changeWorkspace } from '../../support/access/folder-changes.js';
import { tokensOf } from '../../support/batch/test-engine.js';
import { line, lines, PRICE, reason, turns, until, World } from '../../support/batch/world.js';

/** The disk takes nothing until the function returned is called. */
function fillDisk(world: World): () => void {
  const { store } = world;
  const { write } = store;
  store.write = async () => {
    throw new Error('no room');
  };
  return () => {
    store.write = write;
  };
}

/** Each line answered once and charged once. */
async function isWhole(t: Test, world: World, key: { id: string }, id: string, count: number) {
  const results = await world.collect(key, id);
  t.equal(results.filter(({ status }) => status === 200).length, count);
  t.equal(new Set(results.map(({ custom_id }) => custom_id)).size, count);
  await world.access.flush();
  t.strictSame(reconcile(world.store).problems, []);
  const tokens = results.reduce((sum, { custom_id }) => sum + tokensOf(custom_id), 0);
  t.equal(world.store.table('accounts').get('w')?.charged, String(BigInt(tokens) * PRICE));
}

test('while writes fail no line starts; later all lines run, and nothing is lost or duplicated', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.answersAtOnce = false;
  world.engine.room = 4;
  const id = await world.submit(key, lines('a', 20));
  await turns();
  const empty = fillDisk(world);
  world.engine.answer('a0');
  await world.pass(3);
  const { started } = world.engine;
  const before = started.length;
  world.engine.answerAll();
  await world.pass(10);
  t.equal(started.length, before, 'no line starts');
  t.ok(before <= 7);
  t.equal(world.show(key, id).counts.done, before, 'what was in progress is answered');
  t.ok(world.troubles.includes('no room'));
  t.match(await reason(world.submit(key, line('x'))), { type: 'batch_unavailable', status: 503 });
  t.match(await reason(world.batches.cancel(world.caller(key), id)), {
    type: 'outcome_unknown',
    status: 502,
  });
  empty();
  world.engine.answersAtOnce = true;
  await until(() => {
    world.clock.advance(100);
    return world.show(key, id).finished_at !== null;
  });
  const { counts, status } = world.show(key, id);
  t.equal(status, 'cancelled', 'the cancel counts from when it was made');
  t.strictSame(counts, { done: before, failed: 20 - before, pending: 0 });
});

test('the same without a cancel: all lines are answered, each once', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.answersAtOnce = false;
  world.engine.room = 4;
  const id = await world.submit(key, lines('a', 20), { webhook: 'https://a.example/' });
  await turns();
  const empty = fillDisk(world);
  world.engine.answerAll();
  await world.pass(5);
  empty();
  world.engine.answersAtOnce = true;
  world.engine.answerAll();
  await until(() => {
    world.clock.advance(100);
    return world.called.length > 0;
  });
  await isWhole(t, world, key, id, 20);
  t.equal(new Set(world.engine.started).size, world.engine.started.length, 'no line ran twice');
});

test('a webhook whose batch cannot be written waits for the disk', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.answersAtOnce = false;
  const id = await world.submit(key, line('a'), { webhook: 'https://a.example/' });
  await turns();
  const empty = fillDisk(world);
  world.engine.answer('a');
  await world.pass(5);
  t.equal(world.show(key, id).status, 'done');
  t.strictSame(world.called, [], 'a crash could still undo the end of the batch, so no webhook is called');
  empty();
  await until(() => {
    world.clock.advance(100);
    return world.called.length > 0;
  });
  t.match(world.called, [{ id, status: 'done' }]);
  await isWhole(t, world, key, id, 1);
});

test('a crash while writes fail: lines that were not written run again, and are charged once', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.answersAtOnce = false;
  world.engine.room = 4;
  const id = await world.submit(key, lines('a', 12));
  await turns();
  world.engine.answerAll();
  await turns();
  await world.access.flush();
  const written = world.show(key, id).counts.done;
  fillDisk(world);
  world.engine.answerAll();
  await world.pass(2);
  t.ok(world.show(key, id).counts.done > written);
  t.ok(written > 0);
  await world.crash(false);
  t.equal(world.show(key, id).counts.done, written, 'only what was written is there');
  world.engine.answersAtOnce = true;
  world.engine.answerAll();
  await world.finished(key, id);
  await isWhole(t, world, key, id, 12);
  t.equal(world.engine.started.length, 12 - written, 'a line with a result never runs again');
});

test('a withdrawn model: its lines fail unbilled, in turns of the event loop, and the others run', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.room = 0;
  const all = Array.from({ length: 2_000 }, (_, at) => line(`a${at}`, 's', at % 2 === 0 ? 'm1' : 'm2'));
  const id = await world.submit(key, all.join('\n'));
  changeWorkspace(world.store, world.clock, 'w', { models: ['m2'] });
  world.engine.room = 8;
  world.clock.advance(1_000);
  t.ok(world.show(key, id).counts.failed <= 256, 'not all of them in one turn');
  await until(() => {
    world.clock.advance(1);
    return world.show(key, id).finished_at !== null;
  });
  const results = await world.collect(key, id);
  const withdrawn = results.filter(({ model }) => model === 'm1');
  t.equal(withdrawn.length, 1_000);
  for (const { status, error, usage } of withdrawn) {
    if (status === null && error?.type === 'model_not_allowed' && usage.input_tokens === 0) continue;
    t.fail(JSON.stringify({ status, error, usage }));
  }
  t.equal(results.filter(({ status }) => status === 200).length, 1_000);
  t.strictSame(
    results.map(({ custom_id }) => custom_id),
    results.map((_, at) => `a${at}`),
  );
  await world.access.flush();
  t.strictSame(reconcile(world.store).problems, []);
});
