import { test } from 'tap';
import { ApiError } from '../../src/api/index.js';
import { NotComputed } from '../../src/engine/index.js';
import {
  SHADOW_BYTES_MAX,
  SHADOW_MS_MAX,
  SHADOWS_AT_ONCE,
  SHADOWS_WAITING_MAX,
} from '../../src/server/shadows/shadow-runs.js';
import { decisionOf, SHADOWED, settled, shadowWorld } from '../support/shadow-world.js';

const NO_EVENTS = { started: 0, counted: 0, failed: 0, dropped: 0 };

test('a request is run on the shadow build after its response, with the body that was sent', async (t) => {
  const { clock, ask, running, prepared, compared, events } = shadowWorld();
  const body = Buffer.from('{"state":"x"}');
  const decision = await ask('req_1', { body });
  t.equal(decision.build, 'm-1');
  await settled();
  t.equal(prepared.length, 0, 'not in the turn of the response');
  body.fill(0);
  clock.advance(0);
  await settled();
  t.equal(Buffer.from(prepared[0]?.body ?? []).toString(), '{"state":"x"}');
  t.match(prepared[0], { model: null, format: 'task', task: { model: 'n-1' } });
  t.match(running[0]?.options, { urgency: 'batch', workspace: 'w' });
  running[0]?.answer();
  await settled();
  t.match(compared, [{ reference: 'req_1', decisions: { live: decision, shadow: { build: 'n-1' } } }]);
  t.strictSame(await events(), { ...NO_EVENTS, started: 1 });
});

test('a shadow that has ended has no listener for the end of the server', async (t) => {
  const { runs, clock, ask, running } = shadowWorld();
  await ask('req_1');
  clock.advance(0);
  await settled();
  running[0]?.answer();
  await settled();
  runs.stop();
  t.equal(running[0]?.options.signal.aborted, false);
});

test('a stop drops a shadow that runs', async (t) => {
  const { runs, clock, ask, running, events } = shadowWorld();
  await ask('req_1');
  clock.advance(0);
  await settled();
  runs.stop();
  await settled();
  t.equal(running[0]?.options.signal.aborted, true);
  t.strictSame(await events(), { ...NO_EVENTS, started: 1, dropped: 1 });
});

test('a shadow for which no lane works is dropped', async (t) => {
  const { clock, ask, running, events } = shadowWorld();
  await ask('req_1');
  clock.advance(0);
  await settled();
  running[0]?.fail(new NotComputed(new ApiError('model_unavailable', 'No.'), false));
  await settled();
  t.strictSame(await events(), { ...NO_EVENTS, started: 1, dropped: 1 });
});

test('at an endpoint of one model, a task that names a build of it has its shadow', async (t) => {
  const { world, clock, ask, running } = shadowWorld();
  world.builds.set('m', 'm-2');
  await ask('req_1', { model: 'm', task: { ...SHADOWED, model: 'm-1' } });
  clock.advance(0);
  await settled();
  t.equal(running.length, 1);
});

test('a random number below the share chooses a request', async (t) => {
  const numbers = [0, 0.2499, 0.25, 0.9];
  const { clock, ask, prepared, running } = shadowWorld(() => numbers.shift() as number);
  const task = { ...SHADOWED, shadow: { model: 'other', share: 0.25 } };
  for (let at = 0; at < 4; at += 1) {
    await ask(`req_${at}`, { task });
    clock.advance(0);
    await settled();
    running[at]?.answer();
    await settled();
  }
  t.equal(prepared.length, 2);
  await ask('req_4', { task: { ...task, shadow: null as never } });
  t.strictSame(numbers, [], 'nothing is drawn without a shadow');
});

test('a response never waits for an engine that never answers', async (t) => {
  const { clock, ask, running, compared, events } = shadowWorld();
  await ask('req_1');
  clock.advance(0);
  await settled();
  await ask('req_2');
  clock.advance(SHADOW_MS_MAX - 1);
  await settled();
  t.strictSame([running.length, await events()], [1, { ...NO_EVENTS, started: 1 }]);
  clock.advance(1);
  await settled();
  t.strictSame(await events(), { ...NO_EVENTS, started: 2, dropped: 1 }, 'the next one has its turn');
  running[1]?.answer();
  await settled();
  t.strictSame(
    compared.map(({ reference }) => reference),
    ['req_2'],
  );
});

test('shadows are dropped first when the engines are busy', async (t) => {
  const { clock, ask, world, prepared, events } = shadowWorld();
  const asked = async () => {
    await ask();
    clock.advance(0);
    await settled();
  };
  world.liveWaiting = 1;
  await asked();
  world.liveWaiting = 0;
  world.wantsBatch = false;
  await asked();
  t.equal(prepared.length, 0);
  world.wantsBatch = true;
  await asked();
  t.equal(prepared.length, 1);
  t.strictSame(await events(), { ...NO_EVENTS, started: 1, dropped: 2 });
});

test('as many run and wait as the bounds say, and one more is dropped', async (t) => {
  const { clock, ask, running, events } = shadowWorld();
  const all = SHADOWS_AT_ONCE.key + SHADOWS_WAITING_MAX.key;
  for (let at = 0; at < all; at += 1) await ask(`req_${at}`);
  clock.advance(0);
  await settled();
  t.strictSame([running.length, (await events()).dropped], [SHADOWS_AT_ONCE.key, 0]);
  await ask('one more');
  clock.advance(0);
  await settled();
  t.equal((await events()).dropped, 1);
  await ask('another key', { key: 'other', workspace: 'v' });
  clock.advance(0);
  await settled();
  t.equal(running.length, SHADOWS_AT_ONCE.key + 1, 'another workspace is not held up');
});

test('bodies are kept up to a bound of bytes, until their shadow has ended', async (t) => {
  const { clock, ask, running, prepared, events } = shadowWorld();
  const largest = Buffer.alloc(SHADOW_BYTES_MAX.key);
  await ask('req_1', { body: largest, answer: () => Promise.reject(new ApiError('missing', 'No.')) }).catch(
    () => {},
  );
  await ask('req_2', { body: largest });
  await ask('req_3', { body: Buffer.alloc(1) });
  clock.advance(0);
  await settled();
  t.strictSame(await events(), { ...NO_EVENTS, started: 1, dropped: 1 });
  running[0]?.answer();
  await settled();
  await ask('req_4', { body: Buffer.alloc(SHADOW_BYTES_MAX.key + 1) });
  await ask('req_5', { body: largest });
  clock.advance(0);
  await settled();
  t.equal(prepared.length, 2);
  t.strictSame(await events(), { ...NO_EVENTS, started: 2, dropped: 2 });
});

test('a change of the models and a stop drop what runs and what waits', async (t) => {
  const { clock, ask, runs, running, compared, events } = shadowWorld();
  const three = async () => {
    for (const reference of ['running', 'waiting', 'answered']) await ask(reference);
  };
  await three();
  clock.advance(0);
  await settled();
  await ask('not begun');
  runs.drop();
  clock.advance(0);
  await settled();
  t.strictSame(await events(), { ...NO_EVENTS, started: 1, dropped: 4 });
  await ask('after a change');
  clock.advance(0);
  await settled();
  running.at(-1)?.answer();
  await settled();
  t.equal(compared.length, 1, 'later requests have shadows again');
  await three();
  clock.advance(0);
  await settled();
  runs.stop();
  await settled();
  t.strictSame(await events(), { ...NO_EVENTS, started: 3, dropped: 7 });
  await ask('after a stop');
  clock.advance(0);
  await settled();
  t.strictSame(await events(), { ...NO_EVENTS, started: 3, dropped: 7 });
});

test('a model that is gone, another build, a refusal and a fault', async (t) => {
  const { clock, ask, world, running, errors, events, prepared } = shadowWorld();
  const asked = async (options: Parameters<typeof ask>[1] = {}) => {
    await ask('req_1', options);
    clock.advance(0);
    await settled();
  };
  await asked({ model: 'other' });
  t.strictSame(await events(), NO_EVENTS, 'an endpoint of another model is not compared');
  await asked({ answer: async () => decisionOf('m-2') });
  t.strictSame(await events(), { ...NO_EVENTS, dropped: 1 }, 'the models changed meanwhile');
  world.builds.delete('other');
  await asked();
  t.strictSame(await events(), { ...NO_EVENTS, dropped: 2 }, 'the model is gone');
  t.equal(prepared.length, 0);
  world.builds.set('other', 'n-1');
  world.refusal = 'model_not_allowed';
  await asked();
  t.strictSame([await events(), errors.length], [{ ...NO_EVENTS, started: 1, dropped: 2, failed: 1 }, 0]);
  world.refusal = null;
  await asked();
  running[0]?.fail(new Error('the engine failed'));
  await settled();
  t.equal((await events()).failed, 2);
  t.match(errors, [{ message: 'the engine failed' }]);
});
