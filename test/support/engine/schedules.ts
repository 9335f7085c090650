import type { Test } from 'tap';
import type { Plan } from '../../../src/engine/index.js';
import { ContextState, type Sharing } from '../../../src/engine/scheduler/context-state.js';
import { plansForOtherLanes } from '../../../src/engine/scheduler/routing.js';
import { Scheduler } from '../../../src/engine/scheduler/scheduler.js';
import { settle } from '../../../src/engine/scheduler/step.js';
import type { Wave } from '../../../src/engine/scheduler/wave-builder.js';
import { longestPrompt, type WaveBounds } from '../../../src/engine/wave/wave-types.js';
import { Cache, drop, type Entry, tokensOf } from '../cache.js';
import { planOf } from '../engine.js';
import { type Random, random, seedFromEnvironment } from '../random.js';

/** More cells or sequences than a schedule can use. */
const ROOM = 4_000;

function randomBounds(next: Random): WaveBounds {
  return {
    // Now and then room for all: then nothing but tokens can make a plan wait.
    cells: next.integer(3) === 0 ? ROOM : 30 + next.integer(120),
    waveTokens: 8 + next.integer(20),
    microBatchTokens: 8,
    microBatchTokensMin: 0,
    sequences: next.integer(2) === 0 ? ROOM : 2 + next.integer(12),
  };
}

/** Plans over a few prefixes and suffixes, so that many are equal; tokens name where they belong. */
function randomPlan(next: Random, head: Int32Array): Plan {
  const which = next.integer(6);
  const own = Int32Array.from({ length: 1 + which * 5 }, (_, i) => 1_000 * (which + 1) + i);
  const prefix = which % 2 === 0 ? Int32Array.of(...head, ...own) : own;
  const suffixes = Array.from({ length: 1 + next.integer(4) }, () => {
    const kind = next.integer(10);
    // The last two are longer than any wave.
    const length = kind < 8 ? 1 + kind : 20 * (kind - 6);
    const tokens = Int32Array.from({ length }, (_, i) => 100_000 * (which + 1) + kind * 100 + i);
    return { tokens, options: Int32Array.of(kind) };
  });
  return planOf(prefix, suffixes);
}

/** One random schedule, from the first arrival until nothing waits. Throws where a rule is broken. */
function runSchedule(next: Random): void {
  const bounds = randomBounds(next);
  const head = Int32Array.of(1, 2, 3);
  const sharing: Sharing = {
    head: next.integer(2) === 0 ? head : new Int32Array(0),
    idleCellsMax: next.integer(2) * next.integer(bounds.cells),
    exact: next.integer(4) === 0,
    coupledProductMax: next.pick([0, 30, Number.POSITIVE_INFINITY]),
  };
  const scheduler = new Scheduler<Entry>({ queueMax: 1_000 });
  const contexts = Array.from({ length: 1 + next.integer(2) }, () => ({
    state: new ContextState<Entry>(bounds, sharing),
    cache: new Cache(bounds),
  }));
  const entries: Entry[] = [];
  let arrivals = 1 + next.integer(10);
  let idle = 0;
  for (let wave = 0; arrivals > 0 || idle <= contexts.length; wave++) {
    for (let now = next.integer(4); now > 0 && arrivals > 0; now--) {
      arrivals -= 1;
      // It may be for another context.
      idle = 0;
      const plan = randomPlan(next, head);
      if (longestPrompt(plan) > bounds.cells) continue;
      const urgency = next.integer(3) === 0 ? 'batch' : 'live';
      const entry: Entry = { plan, urgency, dropped: false, answers: 0 };
      entries.push(entry);
      scheduler.add(entry, urgency);
    }
    if (next.integer(20) === 0) drop(next.pick(entries), scheduler);
    const { state, cache } = contexts[wave % contexts.length] as (typeof contexts)[number];
    const states = contexts.map((context) => context.state);
    idle = playWave(scheduler, state, states, cache, bounds, next) ? 0 : idle + 1;
    if (wave > 2_000) throw new Error('something waits for ever');
  }
  for (const { answers, dropped } of entries) {
    if (answers > 1 || (answers === 0 && !dropped)) throw new Error(`answered ${answers} times`);
  }
}

/** The short live plans that the next wave has to answer: the oldest, of half a wave together. */
function firstShort(
  scheduler: Scheduler<Entry>,
  state: ContextState<Entry>,
  states: ReadonlyArray<ContextState<Entry>>,
): Entry[] {
  const { bounds, sharing } = state;
  if (sharing.exact || bounds.cells < ROOM || bounds.sequences < ROOM) return [];
  const known = [...state.cache.running.map(({ entry }) => entry), ...scheduler.waiting('live')];
  if ([...known, ...scheduler.waiting('batch')].some(({ alone }) => alone)) return [];
  const half = Math.floor(bounds.waveTokens / 2);
  let room = half;
  const left = plansForOtherLanes(state, states, scheduler.waiting('live'));
  const mine = scheduler.waiting('live').filter((entry) => !left.has(entry));
  const short = mine.filter((entry) => state.remaining(entry) <= half);
  const end = short.findIndex((entry) => {
    room -= state.remaining(entry);
    return room < 0;
  });
  return short.slice(0, end < 0 ? short.length : end);
}

/** A plan that runs alone is in a wave with others only if one of them asks the same on the same prefix. */
function checkAlone({ running }: Wave<Entry>): void {
  for (const alone of running.filter(({ entry }) => entry.alone === true)) {
    const others = running.filter((each) => each !== alone);
    if (others.length > 0 && others.every(({ prefix }) => prefix !== alone.prefix))
      throw new Error('a plan runs beside one that runs alone');
  }
}

/** Fills and plays one wave; now and then it fails. False where there was nothing to do. */
function playWave(
  scheduler: Scheduler<Entry>,
  state: ContextState<Entry>,
  states: ReadonlyArray<ContextState<Entry>>,
  cache: Cache,
  bounds: WaveBounds,
  next: Random,
): boolean {
  const first = firstShort(scheduler, state, states);
  const wave = scheduler.fill(state, states);
  if (wave === null) {
    if (first.length > 0) throw new Error('a short plan waits, and there is no wave');
    return false;
  }
  if (next.integer(40) === 0) {
    const lost = [...new Set([...wave.running, ...state.cache.running].map(({ entry }) => entry))];
    for (const { entry } of wave.running) entry.alone = true;
    state.lose();
    scheduler.addAgain(lost.filter(({ dropped }) => !dropped));
    return true;
  }
  checkAlone(wave);
  const tokens = tokensOf(wave.task);
  if (tokens > bounds.waveTokens) throw new Error(`${tokens} tokens in a wave`);
  const seen = cache.play(wave.task);
  wave.answered.forEach((answered, index) => {
    for (const { running, suffix } of answered) {
      const { plan } = running.entry;
      const expected = [...plan.prefix, ...(plan.suffixes[suffix]?.tokens ?? [])];
      if (expected.join() !== seen[index]?.join()) throw new Error('a suffix saw another prompt');
    }
  });
  const results = wave.answered.map((answered) => {
    const [{ running, suffix }] = answered as [(typeof answered)[number]];
    return Float32Array.of(running.entry.plan.suffixes[suffix]?.tokens[0] as number);
  });
  const whole = settle(state, wave, results);
  if (!first.every((short) => whole.some(({ entry }) => entry === short)))
    throw new Error('a short plan waits for more than the wave under way');
  for (const { entry, logits } of whole) {
    entry.answers += 1;
    const expected = entry.plan.suffixes.map((suffix) => suffix.tokens[0]);
    if (expected.join() !== logits.map((each) => each[0]).join()) throw new Error('another suffix’s logits');
  }
  return true;
}

/** Property: every plan runs once, to the right prompt, within the bounds, on so many random schedules. */
export function runSchedules(t: Test, schedules: number): void {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  for (let schedule = 0; schedule < schedules; schedule++) {
    try {
      runSchedule(next);
    } catch (error) {
      t.fail(`schedule ${schedule}: ${(error as Error).stack}`);
      return;
    }
  }
  t.pass();
}
