import { test } from 'tap';
import { ApiError } from '../../src/api/index.js';
import { Engine, type EngineOptions, EXACT, UNWATCHED } from '../../src/engine/index.js';
import { BOUNDS, COLD } from '../support/engine.js';
import { fakeClock } from '../support/fake-clock.js';
import { fakeEngine, markedPlan } from '../support/fake-engine.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const own = (workspace = 'ws_a') => ({ signal: new AbortController().signal, workspace });
/** The limit for one answer of one option. */
const ONE_ANSWER_BYTES = 512 + 4;

/** An engine in exact mode whose threads compute when the test says so. */
function open(options: Partial<EngineOptions> = {}, contexts = 1) {
  const counts = { hit: 0, miss: 0, evicted: 0 };
  const events = {
    ...UNWATCHED,
    planAnswered: (outcome: 'hit' | 'miss') => {
      counts[outcome] += 1;
    },
    answerEvicted: () => {
      counts.evicted += 1;
    },
  };
  const made = fakeEngine({ sharing: EXACT, answerBytesMax: 1 << 20, events, ...options }, contexts);
  /** Ends the wave that a thread computes. */
  const compute = async (thread = 0) => {
    made.threads[thread]?.waves.at(-1)?.resolve();
    await turn();
  };
  const waves = () => made.threads.reduce((sum, thread) => sum + thread.waves.length, 0);
  return { ...made, counts, compute, waves };
}

test('an equal plan is answered from the cache, with logits of its own and without a wave', async (t) => {
  const { engine, compute, waves, counts } = open();
  const first = engine.run(markedPlan(1), own());
  await compute();
  const computed = await first;
  t.match(computed, { isShared: false });
  const second = await engine.run(markedPlan(1), own());
  t.match(second, { isShared: true, queueMs: 0, computeMs: 0 });
  t.strictSame(second.logits, computed.logits);
  second.logits[0]?.fill(9);
  t.strictSame((await engine.run(markedPlan(1), own())).logits, [Float32Array.of(1)]);
  t.equal(waves(), 1);
  t.strictSame(counts, { hit: 2, miss: 1, evicted: 0 });
});

test('not shared: another plan, another workspace, none, normal mode, and a limit of 0', async (t) => {
  for (const [name, options, plan, callers] of [
    ['plan', {}, markedPlan(2), [own(), own()]],
    ['workspace', {}, markedPlan(1), [own('ws_a'), own('ws_b')]],
    ['none', {}, markedPlan(1), [{ signal: own().signal }, { signal: own().signal }]],
    ['normal mode', { sharing: COLD }, markedPlan(1), [own(), own()]],
    ['limit', { answerBytesMax: 0 }, markedPlan(1), [own(), own()]],
  ] as const) {
    const { engine, compute, waves, counts } = open(options);
    const first = engine.run(markedPlan(1), callers[0]);
    await compute();
    await first;
    const second = engine.run(plan, callers[1]);
    await turn();
    t.equal(waves(), 2, name);
    await compute();
    t.match(await second, { isShared: false }, name);
    t.equal(counts.hit, 0);
  }
});

test('plans that are equal to one in progress wait for it, on every context; others do not', async (t) => {
  const { engine, compute, waves, counts, threads } = open({}, 2);
  const equal = [1, 1, 1].map((mark) => engine.run(markedPlan(mark), own()));
  t.equal(waves(), 1, 'the second context has nothing to do');
  const other = engine.run(markedPlan(2), own());
  t.equal(threads[1]?.waves.length, 1, 'a later plan that is not equal comes first');
  t.equal(engine.waiting('live'), 2);
  await compute(0);
  const answers = await Promise.all(equal);
  t.strictSame(
    answers.map(({ logits, isShared }) => [logits[0]?.[0], isShared]),
    [
      [1, false],
      [1, true],
      [1, true],
    ],
  );
  t.not(answers[1]?.logits[0], answers[2]?.logits[0]);
  t.equal(engine.waiting('live'), 0);
  await compute(1);
  await other;
  t.equal(waves(), 2);
  t.strictSame(counts, { hit: 2, miss: 2, evicted: 0 });
});

test('a live plan does not wait for an equal batch plan that waits, and answers it', async (t) => {
  const { engine, compute, waves } = open();
  const busy = engine.run(markedPlan(9), own());
  const batch = engine.run(markedPlan(1), { ...own(), urgency: 'batch' });
  const others = [2, 3].map((mark) => engine.run(markedPlan(mark), { ...own(), urgency: 'batch' }));
  const live = engine.run(markedPlan(1), own());
  await compute();
  await busy;
  await compute();
  t.match(await live, { isShared: false });
  t.match(await batch, { isShared: true });
  await compute();
  await compute();
  await Promise.all(others);
  t.equal(waves(), 4);
});

test('a caller that leaves ends only its own plan: another one is computed, and no result of the first is kept', async (t) => {
  for (const contexts of [1, 2]) {
    const { engine, compute, waves } = open({}, contexts);
    const callers = [1, 2, 3].map(() => new AbortController());
    const runs = callers.map(({ signal }) => engine.run(markedPlan(1), { signal, workspace: 'ws_a' }));
    t.equal(waves(), 1);
    callers[0]?.abort(new Error('the first has left'));
    callers[1]?.abort(new Error('the second has left'));
    await t.rejects(runs[0] as Promise<unknown>, /first has left/);
    await t.rejects(runs[1] as Promise<unknown>, /second has left/);
    // The waves of those that left go on. A context that is free began with the second when the first left.
    t.equal(waves(), contexts);
    await compute(0);
    t.equal(waves(), contexts + 1);
    await compute(0);
    t.match(await runs[2], { logits: [Float32Array.of(1)], isShared: false });
    t.match(await engine.run(markedPlan(1), own()), { isShared: true });
  }
});

test('each plan has its own deadline, and its own place in the queue', async (t) => {
  const { engine, compute, clock, waves } = open({ queueMax: 2 });
  const first = engine.run(markedPlan(1), own());
  clock.advance(400);
  const second = engine.run(markedPlan(1), own());
  const third = engine.run(markedPlan(1), own());
  await t.rejects(engine.run(markedPlan(1), own()), { type: 'overloaded' } as never, 'the queue is full');
  clock.advance(600);
  await t.rejects(first, { type: 'overloaded' } as never);
  await compute();
  t.equal(waves(), 2);
  clock.advance(399);
  await compute();
  t.match(await second, { queueMs: 600, isShared: false });
  t.match(await third, { isShared: true });
});

test('a plan that fails is not kept and does not fail equal ones', async (t) => {
  const { engine, thread, compute, waves, counts } = open();
  const fail = async () => {
    thread.waves.at(-1)?.reject(new Error('a failed wave'));
    await turn();
    await turn();
  };
  const both = Promise.allSettled([1, 1].map((mark) => engine.run(markedPlan(mark), own())));
  await fail();
  t.equal(waves(), 2, 'it runs again');
  await fail();
  t.equal(waves(), 3, 'now the other one runs');
  await compute();
  t.match(await both, [{ status: 'rejected' }, { status: 'fulfilled', value: { isShared: false } }]);
  t.strictSame(counts, { hit: 0, miss: 1, evicted: 0 });
  t.match(await engine.run(markedPlan(1), own()), { isShared: true });
});

test('logits that are no answer are not kept, and equal plans are computed for themselves', async (t) => {
  const results = [Number.NaN, Number.POSITIVE_INFINITY, 5];
  const thread = {
    number: 1,
    ready: async () => ({ head: new Int32Array(0), images: null }),
    run: async () => [Float32Array.of(results.shift() ?? 0)],
  };
  const engine = new Engine([thread], {
    bounds: BOUNDS,
    sharing: EXACT,
    queueMax: 9,
    deadlineMs: 1_000,
    answerBytesMax: 1 << 20,
    clock: fakeClock(),
  });
  const runs = await Promise.all([1, 1, 1, 1].map((mark) => engine.run(markedPlan(mark), own())));
  t.strictSame(
    runs.map(({ logits, isShared }) => [logits[0]?.[0], isShared]),
    [
      [Number.NaN, false],
      [Number.POSITIVE_INFINITY, false],
      [5, false],
      [5, true],
    ],
  );
});

test('an answer of the size of the limit is kept; one byte less, and it is not', async (t) => {
  for (const [answerBytesMax, isShared] of [
    [ONE_ANSWER_BYTES, true],
    [ONE_ANSWER_BYTES - 1, false],
  ] as const) {
    const { engine, compute } = open({ answerBytesMax });
    const first = engine.run(markedPlan(1), own());
    await compute();
    await first;
    t.equal(engine.answerBytes, isShared ? ONE_ANSWER_BYTES : 0);
    const second = engine.run(markedPlan(1), own());
    await compute();
    t.equal((await second).isShared, isShared);
  }
});

test('a further answer makes room, which is counted', async (t) => {
  const { engine, compute, counts } = open({ answerBytesMax: ONE_ANSWER_BYTES });
  for (const mark of [1, 2]) {
    const run = engine.run(markedPlan(mark), own());
    await compute();
    await run;
  }
  t.strictSame(counts, { hit: 0, miss: 2, evicted: 1 });
  t.match(await engine.run(markedPlan(2), own()), { isShared: true });
});

test('after a change of the models nothing is answered from the cache of the old ones', async (t) => {
  const { engine, compute } = open();
  const first = engine.run(markedPlan(1), own());
  await compute();
  await first;
  engine.abandon(new ApiError('model_unavailable', 'replaced'));
  await t.rejects(engine.run(markedPlan(1), own()), { type: 'model_unavailable' } as never);
});

test('a caller that has left before gets its reason, not an answer of the cache', async (t) => {
  const { engine, compute } = open();
  const first = engine.run(markedPlan(1), own());
  await compute();
  await first;
  const signal = AbortSignal.abort(new Error('left'));
  await t.rejects(engine.run(markedPlan(1), { signal, workspace: 'ws_a' }), /left/);
});
