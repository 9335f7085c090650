import { type Test, test } from 'tap';
import { BreakableEngine } from '../../support/batch/breakable-engine.js';
import { markOf, tokensOf } from '../../support/batch/test-engine.js';
import { DAY_MS, line, lines, PRICE, turns, World } from '../../support/batch/world.js';

/** A world whose model `m` has a real engine, with lines of a batch in its queue. Then the lane breaks. */
async function broken(t: Test, count = 40, fault: 'start' | 'waves' = 'start') {
  const world = await World.start(t);
  const device = new BreakableEngine(world.clock);
  world.engine.others.set('m', device.engine);
  device.hold();
  const key = world.key();
  const id = await world.submit(key, lines('a', count));
  await turns(40);
  t.ok(device.engine.waiting('batch') > 0, 'lines wait behind the wave');
  device.fault = fault;
  device.letGo();
  await turns();
  return { world, device, key, id };
}

const charged = async (world: World) => {
  await world.access.flush();
  return world.store.table('accounts').get('w')?.charged ?? '0';
};

test('while no lane works, a cancel finishes the batch', async (t) => {
  const { world, device, key, id } = await broken(t);
  await world.pass(5);
  t.equal(device.engine.waiting('batch'), 0);
  t.match(world.show(key, id), { status: 'running', counts: { pending: 40 } });
  await world.batches.cancel(world.caller(key), id);
  t.match(world.show(key, id), { status: 'cancelled', counts: { done: 0, failed: 40 } });
  t.not(world.show(key, id).finished_at, null);
  t.equal(await charged(world), '0');
  t.strictSame(await world.problems(), []);
});

test('a cancel in the moment in which the lane breaks', async (t) => {
  const { world, key, id } = await broken(t);
  await world.batches.cancel(world.caller(key), id);
  await turns();
  t.match(world.show(key, id), { status: 'cancelled', counts: { failed: 40, pending: 0 } });
});

test('while no lane works, the end of the window finishes the batch', async (t) => {
  const { world, key, id } = await broken(t);
  await world.pass(5);
  world.clock.set(world.clock.now() + DAY_MS);
  world.clock.advance(DAY_MS);
  await world.pass(5);
  t.match(world.show(key, id), { status: 'failed', reason: 'expired', counts: { done: 0, failed: 40 } });
  t.strictSame(await world.problems(), []);
});

test('a lane that comes back: every line is answered and charged once, and nothing has had a try', async (t) => {
  const { world, device, key, id } = await broken(t);
  const begun = device.waves.length;
  await world.pass(300);
  t.ok(device.waves.length - begun <= 10, `${device.waves.length - begun}: a wave after each pause at most`);
  t.match(world.show(key, id), { status: 'running', counts: { pending: 40 } });
  device.fault = null;
  await world.pass(70);
  t.match(world.show(key, id), { status: 'done', counts: { done: 40, failed: 0 } });
  const tokens = Array.from({ length: 40 }, (_, at) => tokensOf(`a${at}`)).reduce((a, b) => a + b, 0);
  t.equal(await charged(world), String(BigInt(tokens) * PRICE));
  t.equal((await world.collect(key, id)).length, 40);
  t.strictSame(world.troubles, []);
});

test('a line that makes every wave fail is given up after five tries, and the others are answered', async (t) => {
  const { world, device, key, id } = await broken(t, 8, 'waves');
  device.fault = null;
  device.poison.add('a3');
  await world.pass(600);
  t.match(world.show(key, id), { status: 'done', counts: { done: 7, failed: 1 } });
  const results = await world.collect(key, id);
  t.match(results[3], { status: 500, error: { type: 'internal_error' } });
  t.strictSame(
    results.filter(({ status }) => status !== 200).map(({ custom_id: name }) => name),
    ['a3'],
  );
  const alone = device.waves.filter((marks) => marks.includes(markOf('a3')) && marks.length === 1);
  t.ok(alone.length >= 5, 'its last wave of each try had no others');
});

test('a single line that makes every wave fail is given up too: a rest of the lane resets nothing', async (t) => {
  const world = await World.start(t);
  const device = new BreakableEngine(world.clock);
  world.engine.others.set('m', device.engine);
  device.poison.add('only');
  const key = world.key();
  const id = await world.submit(key, line('only'));
  await world.pass(600);
  t.match(world.show(key, id), { status: 'failed', reason: 'no_line_answered', counts: { failed: 1 } });
  t.equal(device.waves.length, 6, 'two waves for the first of five tries, one for each further one');
});

test('lines of a model without a lane do not keep a line that must run alone from starting', async (t) => {
  const world = await World.start(t);
  const [one, two] = [world.key(), world.key()];
  world.engine.answersAtOnce = false;
  const id = await world.submit(one, line('b', 'b', 'm1'));
  await turns();
  await world.access.flush();
  world.nextRoom = 0;
  await world.crash(true, { id: 'x', reason: 'GGML_ASSERT(x) failed', labels: [`${id} 0`] });
  const device = new BreakableEngine(world.clock);
  world.engine.others.set('m', device.engine);
  device.hold();
  await world.submit(two, lines('a', 5));
  await turns(40);
  device.fault = 'start';
  device.letGo();
  world.engine.room = 1;
  await world.pass(3);
  t.match(world.show(one, id), { status: 'done', counts: { done: 1 } });
  t.strictSame(world.engine.alone, ['b']);
});
