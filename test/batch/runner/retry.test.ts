import { test } from 'tap';
import { ApiError, ERRORS, type ErrorType } from '../../../src/api/index.js';
import { failureOf, retryWaitMs, TRIES_MAX } from '../../../src/batch/runner/line-outcome.js';
import { memoryOf } from '../../support/batch/memory.js';
import { line, lines, PRICE, turns, World } from '../../support/batch/world.js';

const TEMPORARY: readonly ErrorType[] = ['overloaded', 'model_unavailable', 'internal_error'];
const errors = (type: ErrorType, count: number) =>
  Array.from({ length: count }, () => new ApiError(type, 'Because.'));

/** Lets time pass in small steps, so that what waits for an instant starts at it. */
async function passFinely(world: World, seconds: number): Promise<void> {
  await turns();
  for (let step = 0; step < seconds * 4; step += 1) {
    world.clock.advance(250);
    await turns();
  }
}

test('waits of about 1, 2, 4 and 8 s, a quarter more or less', async (t) => {
  t.equal(TRIES_MAX, 5);
  const waits = (random: number) => [1, 2, 3, 4].map((tries) => retryWaitMs(tries, random));
  t.strictSame(waits(0.5), [1_000, 2_000, 4_000, 8_000]);
  t.strictSame(waits(0), [750, 1_500, 3_000, 6_000]);
  t.strictSame(waits(1), [1_250, 2_500, 5_000, 10_000]);
});

test('only temporary errors are retried', async (t) => {
  for (const type of Object.keys(ERRORS) as ErrorType[]) {
    const failure = failureOf(new ApiError(type, 'Because.'));
    t.equal(failure.temporary, TEMPORARY.includes(type), type);
    t.match(failure, { type, status: ERRORS[type].status, message: 'Because.' });
  }
  t.match(failureOf(new Error('at 0x7f, secret')), { type: 'internal_error', status: 500, temporary: true });
  t.notMatch(failureOf(new Error('secret')).message, 'secret');
});

test('a line is tried five times in total; then it has failed and costs nothing', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  for (const type of TEMPORARY) {
    const id = `x-${type}`;
    world.engine.faults.set(id, errors(type, 5));
    const from = world.engine.started.length;
    const begun = world.clock.monotonic();
    const batch = await world.submit(key, `${line(id)}\n${line('good')}`);
    await passFinely(world, 15.5);
    const at = world.engine.startedAt.filter((_, n) => n >= from && world.engine.started[n] === id);
    t.strictSame(
      at.map((each) => each - begun),
      [0, 1_000, 3_000, 7_000, 15_000],
      type,
    );
    t.match(world.show(key, batch), { status: 'done', counts: { done: 1, failed: 1, pending: 0 } });
    const [failed, good] = await world.collect(key, batch);
    t.strictSame(failed, {
      custom_id: id,
      model: 'm',
      status: ERRORS[type].status,
      error: { error: 'Because.', type },
      usage: { input_tokens: 0, output_tokens: 0, batch: true },
    });
    t.match(good, { custom_id: 'good', status: 200 });
  }
});

test('the fifth try may still be answered, and is billed once', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.faults.set('a', errors('overloaded', 4));
  const batch = await world.submit(key, line('a'));
  await passFinely(world, 15.5);
  const [result] = await world.collect(key, batch);
  t.match(result, { status: 200, usage: { input_tokens: 11 } });
  await world.access.flush();
  t.equal(world.store.table('accounts').get('w')?.charged, String(11n * PRICE));
});

test('a long line is retried with its complete body', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.faults.set('a', errors('overloaded', 2));
  const batch = await world.submit(key, line('a', 'x'.repeat(100_000)));
  await passFinely(world, 4);
  t.match(await world.collect(key, batch), [{ custom_id: 'a', status: 200 }]);
});

test('with an engine that fails every line, at most 256 lines of a batch wait in memory', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.missing.add('m');
  const held = memoryOf(world);
  const batch = await world.submit(key, lines('a', 700));
  for (let round = 0; round < 300; round += 1) await turns(2);
  t.match(world.show(key, batch), { counts: { pending: 700 } });
  const retrying = held.bytes;
  await world.pass(1);
  t.ok(held.most <= (256 + 256 + 4) * line('a000').length, `${held.most}: a chunk, and those that wait`);
  t.ok(retrying > 0);
  world.engine.missing.clear();
  await world.pass(20);
  t.match(world.show(key, batch), { status: 'done', counts: { done: 700 } });
  t.equal(held.bytes, 0, 'all of it is given back');
});

test('a line that the model refuses is not retried', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  const refusal = {
    ok: false,
    type: 'invalid_question',
    message: 'Over the context window.',
    param: null,
  } as const;
  world.engine.refusals.set('a', refusal);
  world.engine.faults.set('b', errors('invalid_question', 1));
  const batch = await world.submit(key, `${line('a')}\n${line('b')}`);
  await world.pass(20);
  t.strictSame(world.engine.started, ['b'], 'one try');
  t.match(world.show(key, batch), { status: 'failed', reason: 'no_line_answered', counts: { failed: 2 } });
  t.match(await world.collect(key, batch), [
    { custom_id: 'a', status: 422, error: { type: 'invalid_question', error: 'Over the context window.' } },
    { custom_id: 'b', status: 422, error: { type: 'invalid_question' } },
  ]);
});

test('lines wait for a missing model; a retried line goes before later ones', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.missing.add('m1');
  world.engine.answersAtOnce = false;
  world.engine.room = 1;
  const batch = await world.submit(key, [line('a', 'a', 'm1'), lines('b', 6)].join('\n'));
  await turns();
  const before = world.engine.started.length;
  t.ok(before < 4);
  world.engine.missing.clear();
  await world.pass(2);
  world.engine.answerAll();
  await turns();
  t.equal(world.engine.started[before], 'a');
  world.engine.answersAtOnce = true;
  world.engine.answerAll();
  await world.pass(1);
  t.match(world.show(key, batch), { status: 'done', counts: { done: 7 } });
});

test('an unexpected error is reported to the operator, and its message to no caller', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.faults.set(
    'a',
    Array.from({ length: 5 }, () => new Error('segment 7 of secret')),
  );
  const batch = await world.submit(key, line('a'));
  await passFinely(world, 15.5);
  t.equal(world.troubles.filter((message) => message === 'segment 7 of secret').length, 5);
  const [result] = await world.collect(key, batch);
  t.match(result, { status: 500, error: { type: 'internal_error' } });
  t.notMatch(JSON.stringify(result), 'secret');
});
