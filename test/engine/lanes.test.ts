import { join } from 'node:path';
import { test } from 'tap';
import { writeTinyModel } from '../../models/tiny/index.js';
import { systemClock, ThreadStartError } from '../../src/base/index.js';
import { Engine, EngineThread, type LaneState, NotComputed, UNWATCHED } from '../../src/engine/index.js';
import { FAILURES_MAX, PAUSE_MS, PAUSE_MS_MAX } from '../../src/engine/lanes/lane.js';
import {
  isWorking,
  type LaneEvent,
  nextState,
  TRANSITIONS,
} from '../../src/engine/lanes/lane-transitions.js';
import { waveLimitMs } from '../../src/engine/lanes/wave-limit.js';
import { BOUNDS, buildOf, COLD, planOf } from '../support/engine.js';
import { fakeEngine, markedPlan } from '../support/fake-engine.js';
import { until } from '../support/until.js';

const stays = () => ({ signal: new AbortController().signal });
const reasonOf = (plan: Promise<unknown>) =>
  plan.then(
    () => null as never,
    (error) => error,
  );
const turn = () => new Promise((resolve) => setImmediate(resolve));

const STATES: readonly LaneState[] = ['free', 'busy', 'restarting', 'resting', 'probing', 'stuck', 'closed'];
const EVENTS: readonly LaneEvent[] = [
  ...(['sent', 'wave_done', 'wave_failed', 'wave_failed_again', 'timed_out'] as const),
  ...(['started', 'not_started', 'rested', 'closed'] as const),
];
/** By state, what each event leads to, in the order of EVENTS; '-': it cannot happen. */
const EXPECTED: Readonly<Record<LaneState, string>> = {
  free: 'busy - - - - - - - closed',
  busy: '- free restarting resting stuck - resting - closed',
  restarting: '- - - - stuck free resting - closed',
  resting: '- - - - - - - probing closed',
  probing: '- - - - stuck free resting - closed',
  stuck: '- stuck stuck stuck - stuck stuck stuck closed',
  closed: '- closed closed closed closed closed closed closed closed',
};

/** The marks of the plans that a wave computes. */
const marksOf = ({ waves }: ReturnType<typeof fakeEngine>['thread'], wave: number) =>
  waves[wave]?.task.phases
    .flatMap(({ streams }) => streams)
    .filter(({ options }) => options !== undefined)
    .map(({ tokens }) => tokens[0]);

test('transitions: every state with every event', async (t) => {
  t.strictSame(Object.keys(TRANSITIONS), STATES);
  for (const state of STATES) {
    const expected = EXPECTED[state].split(' ');
    EVENTS.forEach((event, at) => {
      if (expected[at] === '-')
        t.throws(() => nextState(state, event), /cannot have the event/, `${state} ${event}`);
      else t.equal(nextState(state, event), expected[at], `${state} ${event}`);
    });
  }
});

test('transitions: a lane that does not work takes no wave, and can work again', async (t) => {
  for (const state of STATES) t.equal('sent' in TRANSITIONS[state], state === 'free', state);
  t.strictSame(STATES.filter(isWorking), ['free', 'busy', 'restarting']);
  const reached = new Set<LaneState>(['free']);
  for (let round = 0; round < STATES.length; round++) {
    for (const state of STATES) {
      if (Object.values(TRANSITIONS[state]).some((next) => reached.has(next))) reached.add(state);
    }
  }
  t.strictSame(
    STATES.filter((state) => !reached.has(state)),
    ['stuck', 'closed'],
  );
});

/** An engine, and the states that its lanes go through. */
function watchedEngine(lanes = 1) {
  const states: string[] = [];
  const events = {
    ...UNWATCHED,
    laneChanged: (lane: number, state: LaneState) => states.push(`${lane} ${state}`),
  };
  return { ...fakeEngine({ events, deadlineMs: 1e9 }, lanes), since: () => states.splice(0) };
}

test('a lane that does not start rests, twice as long each time, and takes no wave meanwhile', async (t) => {
  const { engine, threads, thread, clock, since } = watchedEngine(2);
  const answers = [1, 2].map((mark) => engine.run(markedPlan(mark), stays()));
  thread.startFaults.push(...Array.from({ length: 8 }, () => new ThreadStartError('no memory')));
  thread.waves[0]?.reject(new Error('the thread died'));
  await turn();
  t.strictSame(since(), ['1 restarting', '1 resting']);
  t.equal(engine.workingLanes, 1);
  threads[1]?.waves[0]?.resolve();
  await turn();
  t.equal(threads[1]?.waves.length, 2, 'what the other lane lost');
  for (let pause = PAUSE_MS, left = 7; left > 0; pause = Math.min(PAUSE_MS_MAX, pause * 2), left -= 1) {
    clock.advance(pause - 1);
    t.strictSame(since(), []);
    clock.advance(1);
    await turn();
    t.strictSame(since(), ['1 probing', '1 resting']);
  }
  t.equal(thread.waves.length, 1);
  clock.advance(PAUSE_MS_MAX);
  await turn();
  t.strictSame(since(), ['1 probing', '1 free']);
  threads[1]?.waves[1]?.resolve();
  await Promise.all(answers);
  const next = engine.run(markedPlan(3), stays());
  thread.waves[1]?.resolve();
  await next;
});

test('a lane that starts, but whose waves fail in a row, rests; a wave that is computed ends the row', async (t) => {
  const { engine, thread, clock, since } = watchedEngine();
  const run = (mark: number) => {
    const answer = engine.run(markedPlan(mark), stays());
    answer.catch(() => {});
    return answer;
  };
  const fail = async (times: number) => {
    for (let wave = 0; wave < times; wave++) {
      thread.waves.at(-1)?.reject(new Error('no answer'));
      await turn();
    }
  };
  for (let failures = 0; failures < FAILURES_MAX; failures += 2) {
    const plan = run(failures);
    await fail(2);
    await t.rejects(plan, { message: 'no answer' });
  }
  t.strictSame(since().slice(-3), ['1 restarting', '1 free', '1 resting']);
  await t.rejects(run(10), { type: 'model_unavailable', headers: { retryAfterSeconds: 1 } } as never);
  clock.advance(PAUSE_MS);
  await turn();
  const lost = run(11);
  await fail(1);
  t.strictSame(since(), ['1 probing', '1 free', '1 resting'], 'at the first failure after a pause');
  await t.rejects(lost, { type: 'model_unavailable', headers: { retryAfterSeconds: 2 } } as never);
  clock.advance(2 * PAUSE_MS);
  await turn();
  const answered = run(12);
  thread.waves.at(-1)?.resolve();
  await answered;
  since();
  run(13);
  await fail(1);
  t.strictSame(since(), ['1 restarting', '1 free']);
  thread.waves.at(-1)?.resolve();
});

test('while no lane works, no plan waits: live ones are refused, and batch ones come back', async (t) => {
  const { engine, thread, clock } = fakeEngine();
  const computing = engine.run(markedPlan(1), stays());
  const waiting = engine.run(markedPlan(2), stays());
  const batch = engine.run(markedPlan(3), { ...stays(), urgency: 'batch' });
  engine.checkWorking();
  t.ok(engine.wantsBatch);
  thread.startFaults.push(new ThreadStartError('no memory'));
  thread.waves[0]?.reject(new ThreadStartError('no memory'));
  for (const plan of [computing, waiting, engine.run(markedPlan(4), stays())]) {
    const refusal = await reasonOf(plan);
    t.match(refusal, { type: 'model_unavailable' });
    t.notOk(refusal instanceof NotComputed);
  }
  for (const plan of [batch, engine.run(markedPlan(5), { ...stays(), urgency: 'batch' })])
    t.match(await reasonOf(plan), new NotComputed(await reasonOf(engine.run(markedPlan(6), stays())), false));
  t.equal(engine.waiting('batch'), 0);
  t.throws(() => engine.checkWorking(), { type: 'model_unavailable' } as never);
  t.notOk(engine.wantsBatch);
  t.equal(thread.waves.length, 1);
  for (const pause of [1, 2]) {
    clock.advance(pause * PAUSE_MS);
    await turn();
  }
  engine.checkWorking();
  const again = engine.run(markedPlan(3), { ...stays(), urgency: 'batch' });
  thread.waves[1]?.resolve();
  t.strictSame((await again).logits, [Float32Array.of(3)]);
});

test('a batch plan that comes back says whether a wave with it has failed; alone, it fails at once', async (t) => {
  const { engine, thread, clock } = fakeEngine();
  const batch = { ...stays(), urgency: 'batch' } as const;
  const fail = async () => {
    thread.waves.at(-1)?.reject(new Error('no answer'));
    await turn();
  };
  const [first, second] = [1, 2].map((mark) => reasonOf(engine.run(markedPlan(mark), batch)));
  await fail();
  t.equal(thread.waves.length, 2);
  const third = reasonOf(engine.run(markedPlan(3), batch));
  const fourth = reasonOf(engine.run(markedPlan(4), batch));
  await fail();
  await fail();
  await fail();
  t.notOk((await first) instanceof NotComputed, 'it failed in company and alone');
  t.notOk((await second) instanceof NotComputed);
  t.match([await third, await fourth], [{ hasFailed: true }, { hasFailed: true }]);
  clock.advance(PAUSE_MS);
  await turn();
  const alone = reasonOf(engine.run(markedPlan(3), { ...batch, alone: true }));
  const waits = reasonOf(engine.run(markedPlan(4), { ...batch, alone: true }));
  const fresh = reasonOf(engine.run(markedPlan(5), batch));
  await fail();
  t.match(await alone, { message: 'no answer' });
  t.match([await waits, await fresh], [{ hasFailed: true }, { hasFailed: false }]);
});

test('a wave that does not end: its plans fail, its lane is stuck, and the next process learns of it', async (t) => {
  const recorded: unknown[] = [];
  const record = {
    begin: (thread: number, labels: readonly string[]) => void recorded.push([thread, ...labels]),
    abandon: (thread: number, reason: string) => void recorded.push(`${thread} ${reason}`),
  };
  const { engine, thread, clock } = fakeEngine({ record, deadlineMs: 1e9 });
  const measured = engine.run(markedPlan(1), stays());
  clock.advance(12);
  thread.waves[0]?.resolve();
  // 12 tokens in 12 ms: the next wave has 60 s and ten times as long as it should take.
  await measured;
  const live = engine.run(markedPlan(2), stays());
  const batch = { ...stays(), urgency: 'batch', label: 'b 7' } as const;
  thread.waves[1]?.resolve();
  await live;
  const hanging = [engine.run(markedPlan(3), batch), engine.run(markedPlan(4), stays())];
  const limit = waveLimitMs(12, 1);
  t.equal(limit, 60_120);
  // A process that is stopped and continued has not waited.
  clock.pass(10 * limit);
  for (let step = 1; step < 20; step++) clock.advance(limit / 20);
  engine.checkWorking();
  clock.advance(limit / 20);
  for (const plan of hanging) await t.rejects(plan, { type: 'model_unavailable' } as never);
  t.throws(() => engine.checkWorking(), { type: 'model_unavailable', message: /about to restart/ } as never);
  t.strictSame(recorded.slice(-2), [[1, 'b 7'], '1 a wave has not ended within 60 s']);
  thread.waves[2]?.resolve();
  await turn();
  t.throws(() => engine.checkWorking());
  engine.close();
});

test('the record names what a lane computes, and nothing once it is idle', async (t) => {
  const recorded: unknown[] = [];
  const record = {
    begin: (thread: number, labels: readonly string[]) => void recorded.push([thread, ...labels]),
    abandon: () => {},
  };
  const { engine, thread } = fakeEngine({ record });
  const first = engine.run(markedPlan(1), { ...stays(), label: 'b 1' });
  const second = engine.run(markedPlan(2), { ...stays(), label: 'b 2' });
  const third = engine.run(markedPlan(3), stays());
  thread.waves[0]?.resolve();
  await first;
  thread.waves[1]?.resolve();
  await Promise.all([second, third]);
  t.strictSame(recorded, [[1, 'b 1'], [1, 'b 2'], [1]]);
});

test('a plan that is to run alone shares no wave', async (t) => {
  const { engine, thread } = fakeEngine();
  const plans = [1, 2, 3, 4].map((mark) => engine.run(markedPlan(mark), { ...stays(), alone: mark === 3 }));
  for (let wave = 0; wave < 3; wave++) {
    thread.waves[wave]?.resolve();
    await turn();
  }
  await Promise.all(plans);
  t.strictSame(
    [0, 1, 2].map((wave) => marksOf(thread, wave)),
    [[1], [3], [2, 4]],
  );
});

test('a closed lane takes no wave and is not restarted', async (t) => {
  const { engine, thread, clock } = fakeEngine();
  const computing = engine.run(markedPlan(1), stays());
  engine.close();
  thread.waves[0]?.reject(new Error('cancelled'));
  await t.rejects(computing, { type: 'model_unavailable' } as never);
  t.equal(clock.timers(), 0);
});

test('after a failed wave each plan runs alone, in turn with other plans, and only the one at fault fails', async (t) => {
  const { engine, thread } = fakeEngine();
  const first = engine.run(markedPlan(9), stays());
  const plans = [1, 2, 3, 4].map((mark) => engine.run(markedPlan(mark), stays()));
  thread.waves[0]?.resolve();
  await first;
  t.strictSame(marksOf(thread, 1), [1, 2, 3, 4]);
  const outcomes = plans.map((plan) =>
    plan.then(
      ({ logits }) => logits[0]?.[0],
      () => 'failed',
    ),
  );
  const later = engine.run(markedPlan(5), { ...stays(), urgency: 'batch' });
  const POISON = 2;
  const seen: unknown[] = [];
  for (let wave = 1; wave < thread.waves.length; wave++) {
    const marks = marksOf(thread, wave) ?? [];
    seen.push(marks);
    if (marks.includes(POISON)) thread.waves[wave]?.reject(new Error('the thread died'));
    else thread.waves[wave]?.resolve();
    await turn();
  }
  t.strictSame(seen, [[1, 2, 3, 4], [1], [5], [2], [3], [4]]);
  t.strictSame(await Promise.all(outcomes), [1, 'failed', 3, 4]);
  await later;
});

test('plans of a context that were not in the failed wave are not at fault', async (t) => {
  const { engine, thread } = fakeEngine({ bounds: { ...BOUNDS, waveTokens: 20, microBatchTokens: 20 } });
  // Two waves each: they take turns, and both have cells while one is computed.
  const plans = [1, 2].map((mark) => engine.run(markedPlan(mark, 28), stays()));
  for (let wave = 0; wave < 12 && wave < thread.waves.length; wave++) {
    if (wave === 0 || wave === 2) thread.waves[wave]?.reject(new Error('the thread died'));
    else thread.waves[wave]?.resolve();
    await turn();
  }
  t.equal((await Promise.all(plans)).length, 2);
});

test('a worker that can never start: every live request is answered on the other lane', async (t) => {
  const path = join(t.testdir(), 'tiny.gguf');
  writeTinyModel(path, {});
  const startOn = (file: string) => {
    const setup = {
      backend: 'cpu',
      device: '',
      build: buildOf(file),
      bounds: BOUNDS,
      threads: 1,
      number: 1,
    } as const;
    const thread = new EngineThread(setup);
    t.teardown(() => thread.close());
    return thread;
  };
  const options = { bounds: BOUNDS, sharing: COLD, queueMax: 100, deadlineMs: 60_000, clock: systemClock };
  const bad = startOn('/nowhere.gguf');
  const engine = new Engine([bad, startOn(path)], options);
  const plan = (mark: number) =>
    planOf(Int32Array.of(300, 301, 302 + mark), [
      { tokens: Int32Array.of(400, 401), options: Int32Array.of(500, 501) },
    ]);
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(
      [1, 2, 3, 4].map((mark) => engine.run(plan(4 * round + mark), stays())),
    );
    t.ok(answers.every(({ logits }) => logits[0]?.length === 2));
  }
  // The thread that took its place may still be starting.
  await until(() => engine.workingLanes === 1);
  engine.close();
  const alone = new Engine([bad], options);
  await t.rejects(alone.run(plan(0), stays()), { type: 'model_unavailable' } as never);
  t.throws(() => alone.checkWorking(), { type: 'model_unavailable' } as never);
  alone.close();
});
