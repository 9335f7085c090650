import { test } from 'tap';
import { ABORTS_MAX } from '../../../src/batch/line-aborts.js';
import { countAbort } from '../../../src/storage/folder/batches/aborts.js';
import { lines, turns, World } from '../../support/batch/world.js';

let aborts = 0;
const abort = (labels: readonly string[], id = `abort ${aborts++}`) => ({
  id,
  reason: 'GGML_ASSERT(x) failed',
  labels,
});

const rows = ({ store }: World) => [...store.table('batch_aborts').entries()];

test('lines that were in progress at an abort run alone, one after the other, and are answered', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.answersAtOnce = false;
  const id = await world.submit(key, lines('a', 8));
  await turns();
  t.strictSame(world.engine.labels.slice(0, 2), [`${id} 0`, `${id} 1`]);
  t.strictSame(world.engine.alone, []);
  await world.access.flush();
  await world.crash(false, abort([`${id} 2`, `${id} 5`]));
  const seen: string[][] = [];
  while (world.show(key, id).finished_at === null) {
    await turns();
    seen.push([...world.engine.waiting.keys()]);
    world.engine.answerAll();
    await turns();
  }
  t.strictSame(seen, [['a0', 'a1'], ['a2'], ['a3', 'a4'], ['a5'], ['a6', 'a7']]);
  t.strictSame(world.engine.alone, ['a2', 'a5']);
  t.match(world.show(key, id), { status: 'done', counts: { done: 8, failed: 0 } });
  await world.access.flush();
  t.strictSame(rows(world), [], 'nothing is kept of a finished batch');
});

test('a line that was in progress at two aborts fails with that reason and costs nothing', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.answersAtOnce = false;
  const id = await world.submit(key, lines('a', 4));
  await turns();
  await world.access.flush();
  await world.crash(false, abort([`${id} 0`, `${id} 1`]));
  await world.crash(true, abort([`${id} 1`]));
  await world.finished(key, id);
  t.match(world.show(key, id), { status: 'done', counts: { done: 3, failed: 1 } });
  const results = await world.collect(key, id);
  t.match(results[1], {
    custom_id: 'a1',
    status: 500,
    error: { type: 'internal_error', error: /ended the server twice/ },
    usage: { input_tokens: 0 },
  });
  t.strictSame(
    results.map(({ status }) => status),
    [200, 500, 200, 200],
  );
  t.notOk(world.engine.started.includes('a1'), 'it does not run a third time');
  t.ok(world.troubles.some((trouble) => /^Line 1 was in progress .*GGML_ASSERT/.test(trouble)));
});

test('an abort counts once, for lines that have no result', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.answersAtOnce = false;
  const id = await world.submit(key, lines('a', 4));
  await turns();
  world.engine.answer('a0');
  await turns();
  await world.access.flush();
  const first = abort([`${id} 0`, `${id} 1`, `${id} 4`, 'batch_unknown 1', `batch_${'x'.repeat(24)} 1`, '']);
  for (let start = 0; start < ABORTS_MAX; start += 1) t.equal(countAbort(world.store, first), 1);
  t.match(rows(world), [{ key: [id, 1], value: { count: 1, last: first.id } }]);
  t.equal(countAbort(world.store, abort([`${id} 1`])), 1);
  t.match(rows(world), [{ value: { count: 2 } }]);
});
