import { test } from 'tap';
import { ApiError } from '../../src/api/index.js';
import {
  type EngineEvents,
  EXACT,
  LIVE_PIXEL_BYTES_MAX,
  type Plan,
  UNWATCHED,
  type Urgency,
} from '../../src/engine/index.js';
import { BOUNDS, COLD, planOf } from '../support/engine.js';
import { fakeEngine, markedPlan } from '../support/fake-engine.js';

const stays = () => ({ signal: new AbortController().signal });
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('plans that arrive while a wave runs form the next one, and each gets its own answer', async (t) => {
  const { engine, thread } = fakeEngine();
  const answers = [1, 2, 3].map((mark) => engine.run(markedPlan(mark), stays()));
  t.equal(thread.waves.length, 1);
  thread.waves[0]?.resolve();
  t.strictSame((await answers[0])?.logits, [Float32Array.of(1)]);
  t.equal(thread.waves.length, 2, 'both others left together');
  thread.waves[1]?.resolve();
  const rest = await Promise.all(answers.slice(1));
  t.strictSame(
    rest.map(({ logits }) => logits),
    [[Float32Array.of(2)], [Float32Array.of(3)]],
  );
});

test('several contexts take waves in turn', async (t) => {
  const { engine, threads } = fakeEngine({}, 2);
  const answers = [1, 2, 3].map((mark) => engine.run(markedPlan(mark), stays()));
  t.strictSame(
    threads.map(({ waves }) => waves.length),
    [1, 1],
  );
  threads[1]?.waves[0]?.resolve();
  await answers[1];
  t.strictSame(
    threads.map(({ waves }) => waves.length),
    [1, 2],
  );
  threads[0]?.waves[0]?.resolve();
  threads[1]?.waves[1]?.resolve();
  await Promise.all(answers);
});

test('onQueued is called before run returns, once, and only if the plan was accepted', async (t) => {
  const { engine, thread } = fakeEngine({ queueMax: 1 });
  const seen: number[] = [];
  const onQueued = () => seen.push(engine.waiting('batch'));
  const accepted = [1, 2].map((mark) =>
    engine.run(markedPlan(mark), { ...stays(), urgency: 'batch', onQueued }),
  );
  t.strictSame(seen, [0, 1], 'the first is being computed, the second waits');
  const refused = engine.run(markedPlan(3), { ...stays(), urgency: 'batch', onQueued });
  const aborted = { signal: AbortSignal.abort(new Error('left')), onQueued };
  await t.rejects(refused, /queue is full/);
  await t.rejects(engine.run(markedPlan(4), aborted), { message: 'left' });
  thread.waves[0]?.resolve();
  await accepted[0];
  thread.waves[1]?.resolve();
  await accepted[1];
  t.equal(seen.length, 2);
});

test('overloaded: at the bound of the queue a plan waits, one past it is refused at once', async (t) => {
  const { engine, thread } = fakeEngine({ queueMax: 2 });
  const accepted = [1, 2, 3].map((mark) => engine.run(markedPlan(mark), stays()));
  const refused = await engine.run(markedPlan(4), stays()).catch((error: unknown) => error);
  t.match(refused, { type: 'overloaded', headers: { retryAfterSeconds: 1 } });
  thread.waves[0]?.resolve();
  await accepted[0];
  thread.waves[1]?.resolve();
  await Promise.all(accepted);
});

test('overloaded: at the bound of pixels a plan waits, one byte past it is refused, and batch plans are not', async (t) => {
  const { engine, thread } = fakeEngine({ queueMax: 9 });
  const withPixels = (mark: number, bytes: number) => {
    const image = { width: 48, height: 48, rgb: new Uint8Array(bytes), key: `${mark}` };
    return { ...markedPlan(mark), images: [image] };
  };
  const first = engine.run(withPixels(1, LIVE_PIXEL_BYTES_MAX - 1), stays());
  const second = engine.run(withPixels(2, 1), stays());
  const refused = await engine.run(withPixels(3, 1), stays()).catch((error: unknown) => error);
  t.match(refused, { type: 'overloaded' });
  const others = [
    engine.run(markedPlan(4), stays()),
    engine.run(withPixels(5, 1), { ...stays(), urgency: 'batch' }),
  ];
  thread.waves[0]?.resolve();
  await first;
  const room = engine.run(withPixels(6, LIVE_PIXEL_BYTES_MAX - 1), stays());
  for (let wave = 1; wave < 6; wave++) {
    thread.waves[wave]?.resolve();
    await new Promise(setImmediate);
  }
  await Promise.all([second, ...others, room]);
});

test('the bound of pixels holds after plans have left in the middle of their waves', async (t) => {
  const { engine, thread } = fakeEngine();
  const withPixels = (mark: number, bytes: number) => {
    const image = { width: 48, height: 48, rgb: new Uint8Array(bytes), key: `${mark}` };
    return { ...markedPlan(mark), images: [image] };
  };
  const caller = new AbortController();
  const gone = engine.run(withPixels(1, 9), caller);
  caller.abort(new Error('gone'));
  thread.waves[0]?.resolve();
  await t.rejects(gone, { message: 'gone' });
  await turn();
  const most = engine.run(withPixels(2, LIVE_PIXEL_BYTES_MAX), stays());
  await t.rejects(engine.run(withPixels(3, 1), stays()), { type: 'overloaded' } as never);
  thread.waves[1]?.resolve();
  await most;
});

test('overloaded: Retry-After is the time the queue takes at the measured rate', async (t) => {
  const { engine, thread, clock } = fakeEngine({ queueMax: 3 });
  const first = engine.run(markedPlan(1, 98), stays());
  clock.advance(100);
  thread.waves[0]?.resolve();
  // 100 tokens in 100 ms.
  await first;
  const waiting = [2, 3, 4, 5].map((mark) => engine.run(markedPlan(mark, 1_498), stays()));
  for (const each of waiting) each.catch(() => {});
  const refused = await engine.run(markedPlan(6), stays()).catch((error: unknown) => error);
  t.match(refused, { headers: { retryAfterSeconds: 5 } }, '4,500 tokens at 1 per ms, rounded up');
  clock.advance(1_000);
  await Promise.allSettled(waiting);
});

test('overloaded: a deadline that passes, waiting or computing; what was computed is not given to another', async (t) => {
  const { engine, thread, clock } = fakeEngine();
  const computing = engine.run(markedPlan(1), stays());
  const waiting = engine.run(markedPlan(2), stays());
  clock.advance(999);
  const late = engine.run(markedPlan(3), stays());
  clock.advance(1);
  for (const each of [computing, waiting]) await t.rejects(each, { type: 'overloaded' } as never);
  thread.waves[0]?.resolve();
  await turn();
  thread.waves[1]?.resolve();
  t.strictSame((await late).logits, [Float32Array.of(3)]);
});

test('a plan has its deadline once for every 16 suffixes, in exact mode once', async (t) => {
  for (const [suffixes, ms, sharing] of [
    [1, 1_000, COLD],
    [16, 1_000, COLD],
    [17, 2_000, COLD],
    [400, 25_000, COLD],
    // Alone on its lane, it must not hold up the others for longer than they wait.
    [400, 1_000, EXACT],
  ] as const) {
    const { engine, clock } = fakeEngine({ sharing });
    const { prefix, suffixes: one } = markedPlan(1);
    const plan = planOf(prefix, Array(suffixes).fill(one[0]));
    let isRejected = false;
    const run = engine.run(plan, stays()).finally(() => {
      isRejected = true;
    });
    run.catch(() => {});
    clock.advance(ms - 1);
    await turn();
    t.equal(isRejected, false, `${suffixes} suffixes`);
    clock.advance(1);
    await t.rejects(run, { type: 'overloaded' } as never);
  }
});

test('a caller that leaves before its wave costs nothing', async (t) => {
  const { engine, thread } = fakeEngine();
  const first = engine.run(markedPlan(1), stays());
  const caller = new AbortController();
  const gone = engine.run(markedPlan(2), caller);
  caller.abort(new Error('gone'));
  await t.rejects(gone, { message: 'gone' });
  thread.waves[0]?.resolve();
  await first;
  t.equal(thread.waves.length, 1, 'no wave was made for it');
  await t.rejects(engine.run(markedPlan(1), { signal: AbortSignal.abort(new Error('left')) }), {
    message: 'left',
  });
});

test('an engine that is abandoned rejects its plans, waiting or computing, and every later one', async (t) => {
  const { engine, thread } = fakeEngine();
  const reason = new ApiError('model_unavailable', 'A reason.');
  const urgencies = ['live', 'batch'] as const;
  const run = () =>
    urgencies.flatMap((urgency) =>
      [1, 2].map((mark) => engine.run(markedPlan(mark), { ...stays(), urgency })),
    );
  const before = run();
  t.equal(thread.waves.length, 1, 'one is computed, three wait');
  engine.abandon(reason);
  for (const answer of [...before, ...run()]) await t.rejects(answer, reason);
  t.strictSame(
    urgencies.map((urgency) => engine.waiting(urgency)),
    [0, 0],
  );
  thread.waves[0]?.resolve();
  await turn();
  t.equal(thread.waves.length, 1);
});

test('a wave that fails: its plan runs again once, from the beginning, alone and before those that wait; then it fails', async (t) => {
  const { engine, thread } = fakeEngine();
  const plan = engine.run(markedPlan(1), stays());
  const next = engine.run(markedPlan(2), stays());
  const lost = t.rejects(plan, { message: 'second' });
  thread.waves[0]?.reject(new Error('first'));
  await turn();
  const streams = thread.waves[1]?.task.phases.flatMap((phase) => phase.streams) ?? [];
  t.strictSame(
    streams.filter(({ options }) => options).map(({ tokens }) => tokens[0]),
    [1],
  );
  thread.waves[1]?.reject(new Error('second'));
  await lost;
  thread.waves[2]?.resolve();
  t.strictSame((await next).logits, [Float32Array.of(2)]);
});

test('a plan that cannot be scheduled is rejected, and the others are answered', async (t) => {
  for (const sharing of [COLD, EXACT]) {
    const { engine, thread } = fakeEngine({ sharing });
    /** A plan whose reading fails after so many times. */
    const faulty = (mark: number, reads: number): Plan => {
      const { prefixKey, ...plan } = markedPlan(mark);
      let left = reads;
      return {
        ...plan,
        get prefixKey() {
          left -= 1;
          if (left < 0) throw new Error('unreadable');
          return prefixKey;
        },
      };
    };
    // Wherever the fault comes: before a wave is filled, while it is filled, after it.
    for (let reads = 0; reads < 6; reads++) {
      const before = thread.waves.length;
      const first = engine.run(markedPlan(1), stays());
      const bad = engine.run(faulty(2, reads), stays());
      const other = engine.run(markedPlan(3), stays());
      const ended = bad.catch((error: Error) => error.message);
      for (let wave = before; wave < before + 3; wave++) {
        thread.waves[wave]?.resolve();
        await turn();
      }
      for (const answer of [first, other]) t.equal((await answer).logits.length, 1);
      const answer = await ended;
      if (reads === 0) t.equal(answer, 'unreadable');
    }
  }
});

test('exact: one plan per wave, each on an empty context', async (t) => {
  const { engine, thread } = fakeEngine({ sharing: EXACT });
  const answers = [1, 2, 3].map((mark) => engine.run(markedPlan(mark), stays()));
  for (let wave = 0; wave < 3; wave++) {
    t.equal(thread.waves.length, wave + 1);
    t.equal(thread.waves[wave]?.task.clear, true);
    thread.waves[wave]?.resolve();
    await answers[wave];
  }
});

test('the answer says how long the plan waited and was computed', async (t) => {
  const { engine, thread, clock } = fakeEngine();
  const first = engine.run(markedPlan(1), stays());
  const second = engine.run(markedPlan(2), stays());
  clock.advance(30);
  thread.waves[0]?.resolve();
  t.match(await first, { queueMs: 0, computeMs: 30 });
  clock.advance(5);
  thread.waves[1]?.resolve();
  t.match(await second, { queueMs: 30, computeMs: 5 });
});

test('events: plans that are refused, cancelled and late, and waves that are computed and lost', async (t) => {
  const told: string[] = [];
  const events: EngineEvents = {
    waveDone: ({ lane, tokens, fill, ms, prefixes: { hits, misses } }) =>
      told.push(`done ${lane}: ${tokens} tokens, ${fill} full, ${ms} ms, ${hits} hits, ${misses} misses`),
    waveLost: () => told.push('lost'),
    laneChanged: (lane, state) => told.push(`${lane} ${state}`),
    planRefused: () => told.push('refused'),
    planCancelled: () => told.push('left'),
    planLate: () => told.push('late'),
    planAnswered: () => told.push('answered'),
    answerEvicted: () => told.push('evicted'),
  };
  const since = () => told.splice(0);
  const { engine, thread, clock } = fakeEngine({ queueMax: 1, events });
  const first = engine.run(markedPlan(1), stays());
  const caller = new AbortController();
  const second = engine.run(markedPlan(2), caller);
  t.equal(engine.waiting('live'), 1);
  await t.rejects(engine.run(markedPlan(3), stays()));
  t.strictSame(since(), ['refused']);
  caller.abort(new Error('gone'));
  await t.rejects(second);
  await t.rejects(engine.run(markedPlan(1), { signal: AbortSignal.abort(new Error('gone')) }));
  t.strictSame(since(), ['left', 'left'], 'in the queue, and before it');
  thread.waves[0]?.reject(new Error('the thread died'));
  await turn();
  t.strictSame(since(), ['lost', '1 restarting', '1 free']);
  clock.advance(25);
  thread.waves[1]?.resolve();
  await first;
  t.strictSame(since(), [`done 1: 12 tokens, ${12 / 2_048} full, 25 ms, 0 hits, 1 misses`]);
  const computing = engine.run(markedPlan(4), stays());
  clock.advance(1_000);
  await t.rejects(computing);
  t.strictSame(since(), ['late']);
});

test('events: a plan is not counted as cancelled if its caller disconnects while its wave is computed', async (t) => {
  const told: string[] = [];
  const events = { ...UNWATCHED, planCancelled: () => told.push('left') };
  const { engine } = fakeEngine({ events });
  const caller = new AbortController();
  const computing = engine.run(markedPlan(1), caller);
  caller.abort(new Error('gone'));
  await t.rejects(computing, { message: 'gone' });
  t.strictSame(told, []);
});

test('the share of batches beside live requests is that of the options', async (t) => {
  for (const [shareBesideLive, tokens] of [
    [undefined, BOUNDS.waveTokens * 0.2],
    [0.4, BOUNDS.waveTokens * 0.4],
  ] as const) {
    const { engine, thread } = fakeEngine(shareBesideLive === undefined ? {} : { shareBesideLive });
    const run = (mark: number, urgency: Urgency) =>
      engine.run(markedPlan(mark, 100), { urgency, signal: new AbortController().signal });
    const live = run(1, 'live');
    thread.waves.shift()?.resolve();
    await live;
    for (let mark = 2; mark < 40; mark += 1) void run(mark, 'batch');
    // The first plan found an idle lane.
    const waves: number[] = [];
    for (const next of [0, 1]) {
      while (thread.waves.length === 0) await turn();
      const wave = thread.waves.shift();
      waves[next] =
        wave?.task.phases
          .flatMap(({ streams }) => streams)
          .reduce((sum, each) => sum + each.tokens.length, 0) ?? 0;
      wave?.resolve();
    }
    t.ok(Math.abs((waves[1] as number) - tokens) < 110, `${waves.join(' ')}`);
  }
});
