import { test } from 'tap';
import { ApiError } from '../../../src/api/index.js';
import { READ_AHEAD_BYTES, ReadAhead } from '../../../src/batch/runner/read-ahead.js';
import { changeWorkspace } from '../../support/access/folder-changes.js';
import { memoryOf } from '../../support/batch/memory.js';
import { line, lines, turns, until, World } from '../../support/batch/world.js';

const MEBIBYTE = 1024 * 1024;
const LARGE_BYTES = 24 * MEBIBYTE;

test('there is room up to 64 MiB', async (t) => {
  const memory = new ReadAhead();
  memory.add(READ_AHEAD_BYTES - 1);
  t.equal(memory.hasRoom, true);
  memory.add(1);
  t.equal(memory.hasRoom, false);
  memory.add(-1);
  t.equal(memory.hasRoom, true);
  t.equal(READ_AHEAD_BYTES, 64 * MEBIBYTE);
});

test('large lines of many keys are read ahead up to a bound of bytes, and all of them run', async (t) => {
  const world = await World.start(t);
  const held = memoryOf(world);
  const large = 'x'.repeat(LARGE_BYTES);
  const batches: Array<{ key: { id: string }; id: string }> = [];
  world.engine.room = 0;
  for (let at = 0; at < 5; at += 1) {
    const key = world.key();
    batches.push({ key, id: await world.submit(key, `${line(`small${at}`)}\n${line(`large${at}`, large)}`) });
  }
  t.equal(held.most, 0, 'no line is read before there is room in the engine');
  // Lines that wait to be tried again stay in memory.
  world.engine.missing.add('m');
  world.engine.room = 10;
  await turns();
  world.engine.missing.clear();
  await until(() => {
    world.clock.advance(100);
    return batches.every(({ key, id }) => world.show(key, id).status === 'done');
  });
  t.ok(held.most > 2 * LARGE_BYTES, `${held.most}`);
  t.ok(held.most < READ_AHEAD_BYTES + LARGE_BYTES + MEBIBYTE, `${held.most}`);
  t.equal(held.bytes, 0);
});

test('a paused key and a batch that ends free their read-ahead memory', async (t) => {
  const world = await World.start(t);
  const [key, other] = [world.key(), world.key()];
  const held = memoryOf(world);
  world.engine.answersAtOnce = false;
  world.engine.room = 1;
  const id = await world.submit(key, lines('a', 20));
  await world.submit(other, lines('b', 20));
  await turns();
  t.ok(held.bytes > 0);
  changeWorkspace(world.store, world.clock, 'w', { budget: 0n });
  world.engine.room = 9;
  await world.pass(2);
  t.ok(world.engine.waiting.size > 0, 'lines in progress are not read again');
  await world.pass(2);
  t.equal(held.bytes, 0, 'paused');
  const { started } = world.engine;
  const before = started.length;
  changeWorkspace(world.store, world.clock, 'w', { budget: null });
  world.engine.answersAtOnce = true;
  await world.pass(2);
  world.engine.answerAll();
  await world.pass(2);
  t.match(world.show(key, id), { status: 'done', counts: { done: 20 } });
  t.equal(started.length, 40);
  t.equal(new Set(started).size, 40, `none of ${before} that had started runs again`);

  world.engine.answersAtOnce = false;
  const cancelled = await world.submit(key, lines('c', 20));
  await turns();
  t.ok(held.bytes > 0);
  await world.batches.cancel(world.caller(key), cancelled);
  world.engine.answerAll();
  await turns();
  t.equal(held.bytes, 0, 'cancelled');
});

test('a batch that ends while a line waits for a retry frees that line', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  const held = memoryOf(world);
  for (const tries of [1, 3]) {
    const name = `a${tries}`;
    world.engine.faults.set(
      name,
      [1, 2, 3, 4].map(() => new ApiError('overloaded', 'Not now.')),
    );
    const id = await world.submit(key, line(name));
    await world.pass(tries);
    t.ok(held.bytes > 0);
    await world.batches.cancel(world.caller(key), id);
    t.match(world.show(key, id), { status: 'cancelled', results_available: true });
    await world.pass(10);
    t.equal(held.bytes, 0);
  }
});
