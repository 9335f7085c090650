import { test } from 'tap';
import { inGroups, stateGroups } from '../../../src/batch/reading/order.js';
import { SealedBatch } from '../../../src/storage/folder/batches/sealed-batch.js';
import { line, lines, turns, World } from '../../support/batch/world.js';

/** Answers one line after the other, until none waits. */
async function answerOneByOne(world: World): Promise<void> {
  await turns();
  while (world.engine.waiting.size > 0) {
    world.engine.answer([...world.engine.waiting.keys()][0] as string);
    await turns();
  }
}

test('keys take turns, and of each key the oldest batch goes first', async (t) => {
  const world = await World.start(t);
  const [a, b, c] = [world.key(), world.key(), world.key()];
  world.engine.answersAtOnce = false;
  world.engine.room = 0;
  const ids = [
    await world.submit(a, lines('a', 4)),
    await world.submit(a, lines('A', 2)),
    await world.submit(b, lines('b', 2)),
    await world.submit(c, lines('c', 3)),
    await world.submit(b, lines('B', 2)),
  ];
  world.engine.room = 1;
  await world.pass(1);
  await answerOneByOne(world);
  t.strictSame(world.engine.started.join(' '), 'a0 b0 c0 a1 b1 c1 a2 B0 c2 a3 B1 A0 A1');
  t.ok(ids.length === 5);
  t.strictSame(world.troubles, []);
});

test('after a restart the oldest batch of a key still goes first', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.room = 0;
  for (let at = 0; at < 5; at += 1) {
    await world.submit(key, lines(`${at}-`, 1));
    await world.pass(1);
  }
  await world.restart();
  await world.pass(1);
  t.strictSame(world.engine.started, ['0-0', '1-0', '2-0', '3-0', '4-0']);
});

test('a key whose batches wait for credit delays no other key', async (t) => {
  const world = await World.start(t);
  const [a, b] = [world.key(), world.key()];
  world.engine.missing.add('m1');
  await world.submit(a, line('a', 'a', 'm1'));
  const id = await world.submit(b, lines('b', 3));
  await turns();
  t.match(world.show(b, id), { status: 'done' });
});

test('lines with the same state and model become adjacent; the rest keeps its order', async (t) => {
  const order = (all: readonly (readonly [id: string, state: unknown, model?: string])[]) => {
    const given = all.map(([customId, state, model = 'm'], index) => ({
      index,
      chunk: 0,
      customId,
      model,
      task: null,
      body: Buffer.from(line(customId, state, model)),
      tries: 0,
    }));
    const groups = stateGroups(given);
    const ordered = inGroups(given.map((each, at) => ({ line: each, group: groups[at] as number })));
    return ordered.map(({ customId }) => customId);
  };
  t.strictSame(
    order([
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'x'],
      ['d', 'z'],
      ['e', 'y'],
      ['f', 'x'],
    ]),
    [...'acfbed'],
  );
  t.strictSame(
    order([
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'x', 'm1'],
      ['d', 'x'],
    ]),
    [...'adbc'],
  );
  t.strictSame(
    order([
      ['a', { k: 1 }],
      ['b', 'y'],
      ['c', { k: 1 }],
    ]),
    [...'acb'],
  );
});

test('results are in the order of the lines, in whatever order these were answered', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.answersAtOnce = false;
  const states = ['x', 'y', 'x', 'z', 'y', 'x'];
  const id = await world.submit(key, states.map((state, at) => line(`a${at}`, state)).join('\n'));
  await turns();
  t.strictSame(world.engine.started, ['a0', 'a2', 'a5', 'a1', 'a4', 'a3']);
  for (const each of ['a3', 'a5', 'a0', 'a4', 'a1', 'a2']) {
    world.engine.answer(each);
    await turns(2);
  }
  const results = await world.collect(key, id);
  t.strictSame(
    results.map(({ custom_id }) => custom_id),
    states.map((_, at) => `a${at}`),
  );
});

test('one chunk of one batch of a key is read ahead, however many lines and batches wait', async (t) => {
  const world = await World.start(t);
  const [a, b] = [world.key(), world.key()];
  const read: number[] = [];
  const { lines: original } = SealedBatch.prototype;
  SealedBatch.prototype.lines = function (chunk) {
    read.push(chunk);
    return original.call(this, chunk);
  };
  t.teardown(() => {
    SealedBatch.prototype.lines = original;
  });
  world.engine.answersAtOnce = false;
  world.engine.room = 5;
  for (let at = 0; at < 5; at += 1) {
    await world.submit(a, lines(`a${at}-`, 600));
    await world.submit(b, lines(`b${at}-`, 600));
  }
  await world.pass(5);
  const most = world.engine.waiting.size;
  t.ok(
    most === 5 || most === 6,
    'no more lines are handed on than there is room for, and one that was prepared',
  );
  t.strictSame(read, [0], 'and those that have had no turn are not read');
  for (let round = 0; round < 106; round += 1) {
    world.engine.answerAll();
    await turns(6);
  }
  t.strictSame(read, [0, 0, 1, 1], 'the next when the first is used up');
});
