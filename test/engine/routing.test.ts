import { test } from 'tap';
import { ThreadStartError } from '../../src/base/index.js';
import type { Plan } from '../../src/engine/index.js';
import { ContextState } from '../../src/engine/scheduler/context-state.js';
import { giveWaves, plansForOtherLanes } from '../../src/engine/scheduler/routing.js';
import { Scheduler } from '../../src/engine/scheduler/scheduler.js';
import type { Entry } from '../../src/engine/scheduler/scheduler-types.js';
import { settle } from '../../src/engine/scheduler/step.js';
import type { WaveBounds } from '../../src/engine/wave/wave-types.js';
import { type Arrival, type SimulatedState, simulate } from '../../src/tuning/index.js';
import { COLD, planOf } from '../support/engine.js';
import { fakeEngine, markedPlan } from '../support/fake-engine.js';
import { type Random, random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';

const BOUNDS: WaveBounds = {
  cells: 8_192,
  waveTokens: 512,
  microBatchTokens: 512,
  microBatchTokensMin: 0,
  sequences: 255,
};
const SHARING = { ...COLD, idleCellsMax: 4_096 };

let marks = 0;
/** A plan about a state, with a suffix of its own. */
function planOn(state: number, prefix: number, suffix: number): Plan {
  marks += 1;
  const tokens = Int32Array.from({ length: prefix }, (_, i) => (i === 0 ? state : i));
  return planOf(tokens, [
    {
      tokens: Int32Array.from({ length: suffix }, (_, i) => (i === 0 ? marks : i)),
      options: Int32Array.of(1),
    },
  ]);
}

/** Throws if a lane is idle while another could give it work. */
function checkIdle({ scheduler, lanes }: SimulatedState): void {
  if (lanes.every(({ isFree }) => !isFree)) return;
  const waiting = [...scheduler.waiting('live'), ...scheduler.waiting('batch')];
  const holds = (context: SimulatedState['lanes'][number]['context'], { plan }: Entry) =>
    context.cache.findPrefix(plan.prefixKey) !== undefined;
  for (const entry of waiting) {
    if (!lanes.some(({ context }) => holds(context, entry)))
      throw new Error('a plan waits beside an idle lane');
  }
  for (const { context } of lanes) {
    const queued = waiting
      .filter((entry) =>
        lanes.filter((lane) => holds(lane.context, entry)).every((lane) => lane.context === context),
      )
      .reduce((sum, entry) => sum + context.remaining(entry), 0);
    if (queued > BOUNDS.waveTokens) throw new Error(`${queued} tokens wait for a lane, and another is idle`);
  }
}

/** Requests about states that repeat: some often, most a few times. `load`: 1 is about what the lanes can compute. */
function schedule(next: Random, lanes: number, load: number): Arrival[] {
  const states = Array.from({ length: 4 + next.integer(4 * lanes) }, () => ({
    id: 1_000 + next.integer(1e6),
    prefix: 100 + next.integer(700),
  }));
  let at = 0;
  return Array.from({ length: 60 * lanes }, () => {
    // Now and then a burst.
    at += next.integer(8) === 0 ? 0 : -Math.log(1 - next.number()) * (250 / lanes / load);
    const popular = Math.floor(states.length * next.number() ** 2);
    const { id, prefix } = states[popular] as (typeof states)[number];
    const urgency = next.integer(4) === 0 ? 'batch' : 'live';
    return { at, plan: planOn(id, prefix, 20 + next.integer(60)), urgency };
  });
}

/** @param scale how much larger the cache of a lane is */
const runOn = (lanes: number, arrivals: readonly Arrival[], scale = 1) =>
  simulate(arrivals, {
    bounds: { ...BOUNDS, cells: scale * BOUNDS.cells },
    sharing: { ...SHARING, idleCellsMax: scale * SHARING.idleCellsMax },
    devices: lanes,
    contexts: 1,
    // One millisecond per token.
    timeOf: ({ cost }) => ({ host: 0, device: cost }),
    onDispatch: checkIdle,
  });

test('random schedules on 1 to 16 lanes: all answered, and no lane idles while another has more than a wave', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  for (let round = 0; round < scaled({ short: 8, long: 200 }); round++) {
    const lanes = 1 + next.integer(16);
    const arrivals = schedule(next, lanes, 0.3 + next.number() * 5);
    const { answered } = runOn(lanes, arrivals);
    t.equal(answered.live + answered.batch, arrivals.length, `${lanes} lanes`);
  }
});

test('the caches of 8 lanes hit nearly as often as one cache of their size', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const rates = { one: 0, eight: 0 };
  const isNear = () => rates.eight >= 0.9 * rates.one;
  // Of five schedules, too many are hard once in a hundred runs; then fifty decide.
  for (let round = 0; round < scaled({ short: 5, long: 50 }) || (round < 50 && !isNear()); round++) {
    const arrivals = schedule(next, 8, 0.3 + next.number());
    rates.one += runOn(1, arrivals, 8).hitRate;
    rates.eight += runOn(8, arrivals).hitRate;
  }
  t.comment(rates);
  t.ok(isNear(), `${rates.eight} and ${rates.one}`);
});

/** Lanes whose caches hold the given states, of so many tokens each. */
function lanesWith(tokens: number, ...held: ReadonlyArray<readonly number[]>) {
  return held.map((states) => {
    const context = new ContextState<Entry>(BOUNDS, SHARING);
    const scheduler = new Scheduler<Entry>({ queueMax: 10 });
    for (const state of states) scheduler.add({ plan: planOn(state, tokens, 10), dropped: false }, 'live');
    while (scheduler.fill(context) !== null);
    return context;
  });
}

/** How many of these plans the first lane leaves to others. */
function leftByFirst(contexts: readonly ContextState<Entry>[], plans: readonly Plan[]): number {
  const [first] = contexts as [ContextState<Entry>];
  return plansForOtherLanes(
    first,
    contexts,
    plans.map((plan) => ({ plan, dropped: false })),
  ).size;
}

test('a plan is left to the lane that holds its prefix, unless the lane that looks holds it too, or none does', async (t) => {
  t.equal(leftByFirst(lanesWith(200, [], [1]), [planOn(1, 200, 10)]), 1);
  t.equal(leftByFirst(lanesWith(200, [1], [1]), [planOn(1, 200, 10)]), 0);
  t.equal(leftByFirst(lanesWith(200, [], [1]), [planOn(2, 200, 10)]), 0);
  t.equal(leftByFirst(lanesWith(200, []), [planOn(1, 200, 10)]), 0);
});

test('too far behind: at most one wave is left to a lane, and two waves to two lanes', async (t) => {
  const plans = Array.from({ length: 20 }, () => planOn(1, 400, 50));
  const perWave = Math.floor(BOUNDS.waveTokens / 50);
  t.equal(leftByFirst(lanesWith(400, [], [1]), plans), perWave);
  t.equal(leftByFirst(lanesWith(400, [], [1], [1]), plans), 2 * perWave);
  const [first, busy] = lanesWith(400, [], [1]) as [ContextState<Entry>, ContextState<Entry>];
  const scheduler = new Scheduler<Entry>({ queueMax: 10 });
  scheduler.add({ plan: planOn(3, 900, 10), dropped: false }, 'live');
  scheduler.fill(busy);
  t.equal(
    leftByFirst([first, busy], plans),
    Math.floor((2 * BOUNDS.waveTokens - 910) / 50),
    'with what it runs',
  );
});

test('too far behind: the tokens before a plan exceed four times those it saves', async (t) => {
  const [first, busy] = lanesWith(100, [], [1]) as [ContextState<Entry>, ContextState<Entry>];
  for (const [computing, left] of [
    [0, 1],
    [400, 1],
    [401, 0],
  ] as const) {
    busy.computing = computing;
    t.equal(leftByFirst([first, busy], [planOn(1, 100, 10)]), left, `${computing}`);
  }
});

test('a lane takes the plan that it left to a lane whose wave displaces the prefix', async (t) => {
  const bounds = { ...BOUNDS, cells: 1_200 };
  const contexts = [0, 1].map(() => new ContextState<Entry>(bounds, SHARING)) as [
    ContextState<Entry>,
    ContextState<Entry>,
  ];
  const scheduler = new Scheduler<Entry>({ queueMax: 10 });
  const add = (state: number, suffix: number) =>
    scheduler.add({ plan: planOn(state, 500, suffix), dropped: false }, 'live');
  // A state is kept once it repeats.
  for (const state of [1, 1, 2, 2]) {
    add(state, 10);
    for (let wave = scheduler.fill(contexts[1]); wave !== null; wave = scheduler.fill(contexts[1]))
      settle(
        contexts[1],
        wave,
        wave.answered.map(() => Float32Array.of(0)),
      );
  }
  add(2, 250);
  add(1, 10);
  const given: number[] = [];
  giveWaves([0, 1] as const, (lane) => {
    const isFilled = !given.includes(lane) && scheduler.fill(contexts[lane], contexts) !== null;
    if (isFilled) given.push(lane);
    return isFilled;
  });
  t.strictSame(given, [1, 0]);
  t.equal(scheduler.waiting('live').length, 0);
});

const stays = () => ({ signal: new AbortController().signal });

test('a request follows the state to its lane, and away from a lane that has failed', async (t) => {
  const { engine, threads } = fakeEngine({ sharing: SHARING }, 2);
  const waves = () => threads.map((thread) => thread.waves.length);
  // A state is kept once it repeats.
  for (let wave = 0; wave < 2; wave++) {
    const answer = engine.run(markedPlan(2, 500), stays());
    threads[0]?.waves[wave]?.resolve();
    await answer;
  }
  const other = engine.run(markedPlan(1, 500), stays());
  const again = engine.run(markedPlan(2, 500), stays());
  t.strictSame(waves(), [3, 0], 'lane 2 is free, lane 1 holds the state');
  threads[0]?.waves[2]?.resolve();
  await other;
  t.strictSame(waves(), [4, 0]);
  threads[0]?.startFaults.push(new ThreadStartError('no memory'));
  threads[0]?.waves[3]?.reject(new Error('the thread died'));
  await new Promise((resolve) => setImmediate(resolve));
  t.strictSame(waves(), [4, 1]);
  threads[1]?.waves[0]?.resolve();
  await again;
  engine.close();
});
