import { test } from 'tap';
import {
  ContextState,
  Dispatcher,
  type Sharing,
  settle,
  type Urgency,
  type Wave,
  WaveBuilder,
} from '../../src/engine/dispatcher/index.js';
import type { Plan } from '../../src/engine/index.js';
import { longestPrompt, type WaveBounds, type WaveTask } from '../../src/engine/wave/index.js';
import { COLD, planOf } from '../helpers/engine.js';
import { type Random, random, seedFromEnvironment } from '../helpers/random.js';

const SCHEDULES = 100_000;
/** More cells or sequences than a schedule can use. */
const ROOM = 4_000;

interface Entry {
  readonly plan: Plan;
  readonly urgency: Urgency;
  dropped: boolean;
  answers: number;
}

/** Plays tasks on a cache of plain lists. */
class Cache {
  private readonly lists = new Map<number, readonly number[]>();

  constructor(private readonly bounds: WaveBounds) {}

  /** Returns what each answer slot saw. */
  play(task: WaveTask): number[][] {
    const seen: number[][] = [];
    if (task.clear) this.lists.clear();
    for (const { removals, copies, streams } of task.phases) {
      for (const sequence of removals) this.lists.delete(sequence);
      for (const { from, to } of copies) {
        if (this.lists.has(to)) throw new Error('a copy onto a sequence in use');
        this.lists.set(to, this.lists.get(from) ?? []);
      }
      for (const { tokens, position, sequences, options } of streams) {
        const lists = sequences.map((sequence) => this.lists.get(sequence) ?? []);
        for (const list of lists) {
          if (list.length !== position) throw new Error(`a stream at ${position} on ${list.length} tokens`);
          if (list.some((token, i) => token !== lists[0]?.[i])) throw new Error('coupled, but not equal');
        }
        const whole = [...(lists[0] ?? []), ...tokens];
        for (const sequence of sequences) {
          if (sequence < 0 || sequence >= this.bounds.sequences) throw new Error('no such sequence');
          this.lists.set(sequence, whole);
        }
        if (options !== undefined) seen.push(whole);
      }
      this.checkCells();
    }
    for (const sequence of task.removals) this.lists.delete(sequence);
    return seen;
  }

  get sequences(): number {
    return this.lists.size;
  }

  /** Cells: equal beginnings count once. Tokens of different prefixes differ, so a position and token name one. */
  private checkCells(): void {
    const cells = new Set<number>();
    for (const list of this.lists.values()) {
      for (const [position, token] of list.entries()) cells.add(token * 4_096 + position);
    }
    if (cells.size > this.bounds.cells) throw new Error(`${cells.size} cells of ${this.bounds.cells}`);
  }
}

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

/** Plans over a few prefixes and leaves, so that many are equal; tokens name where they belong. */
function randomPlan(next: Random, head: Int32Array): Plan {
  const which = next.integer(6);
  const own = Int32Array.from({ length: 1 + which * 5 }, (_, i) => 1_000 * (which + 1) + i);
  const prefix = which % 2 === 0 ? Int32Array.of(...head, ...own) : own;
  const leaves = Array.from({ length: 1 + next.integer(4) }, () => {
    const kind = next.integer(10);
    // The last two are longer than any wave.
    const length = kind < 8 ? 1 + kind : 20 * (kind - 6);
    const tokens = Int32Array.from({ length }, (_, i) => 100_000 * (which + 1) + kind * 100 + i);
    return { tokens, options: Int32Array.of(kind) };
  });
  return planOf(prefix, leaves);
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
  const dispatcher = new Dispatcher<Entry>({ queueMax: 1_000 });
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
      const plan = randomPlan(next, head);
      if (longestPrompt(plan) > bounds.cells) continue;
      const urgency = next.integer(3) === 0 ? 'batch' : 'live';
      const entry: Entry = { plan, urgency, dropped: false, answers: 0 };
      entries.push(entry);
      dispatcher.add(entry, urgency);
    }
    if (next.integer(20) === 0) drop(next.pick(entries), dispatcher);
    const { state, cache } = contexts[wave % contexts.length] as (typeof contexts)[number];
    idle = playWave(dispatcher, state, cache, bounds, next) ? 0 : idle + 1;
    if (wave > 2_000) throw new Error('something waits for ever');
  }
  for (const { answers, dropped } of entries) {
    if (answers > 1 || (answers === 0 && !dropped)) throw new Error(`answered ${answers} times`);
  }
}

function drop(entry: Entry | undefined, dispatcher: Dispatcher<Entry>): void {
  if (entry === undefined || entry.answers > 0) return;
  entry.dropped = true;
  dispatcher.remove(entry);
}

/** The short live plans that the next wave has to answer: the oldest, of half a wave together. */
function firstShort(dispatcher: Dispatcher<Entry>, state: ContextState<Entry>): Entry[] {
  const { bounds, sharing } = state;
  if (sharing.exact || bounds.cells < ROOM || bounds.sequences < ROOM) return [];
  const half = Math.floor(bounds.waveTokens / 2);
  let left = half;
  const short = dispatcher.waiting('live').filter((entry) => state.remaining(entry) <= half);
  const end = short.findIndex((entry) => {
    left -= state.remaining(entry);
    return left < 0;
  });
  return short.slice(0, end < 0 ? short.length : end);
}

function tokensOf({ phases }: WaveTask): number {
  const streams = phases.flatMap((phase) => phase.streams);
  return streams.reduce((sum, { tokens }) => sum + tokens.length, 0);
}

/** Fills and plays one wave; now and then it fails. False where there was nothing to do. */
function playWave(
  dispatcher: Dispatcher<Entry>,
  state: ContextState<Entry>,
  cache: Cache,
  bounds: WaveBounds,
  next: Random,
): boolean {
  const first = firstShort(dispatcher, state);
  const wave = dispatcher.fill(state);
  if (wave === null) {
    if (first.length > 0) throw new Error('a short plan waits, and there is no wave');
    return false;
  }
  if (next.integer(40) === 0) {
    const lost = [...new Set([...wave.running, ...state.running].map(({ entry }) => entry))];
    state.reset();
    cache.play({ clear: true, phases: [], removals: [] });
    dispatcher.addAgain(lost.filter(({ dropped }) => !dropped));
    return true;
  }
  const tokens = tokensOf(wave.task);
  if (tokens > bounds.waveTokens) throw new Error(`${tokens} tokens in a wave`);
  const seen = cache.play(wave.task);
  wave.answered.forEach((answered, index) => {
    for (const { running, leaf } of answered) {
      const { plan } = running.entry;
      const expected = [...plan.prefix, ...(plan.leaves[leaf]?.tokens ?? [])];
      if (expected.join() !== seen[index]?.join()) throw new Error('a leaf saw another prompt');
    }
  });
  const results = wave.answered.map((answered) => {
    const [{ running, leaf }] = answered as [(typeof answered)[number]];
    return Float32Array.of(running.entry.plan.leaves[leaf]?.tokens[0] as number);
  });
  const whole = settle(wave, results);
  if (!first.every((short) => whole.some(({ entry }) => entry === short)))
    throw new Error('a short plan waits for more than the wave under way');
  for (const { entry, logits } of whole) {
    entry.answers += 1;
    const expected = entry.plan.leaves.map((leaf) => leaf.tokens[0]);
    if (expected.join() !== logits.map((each) => each[0]).join()) throw new Error('another leaf’s logits');
  }
  return true;
}

test(`property: ${SCHEDULES} random schedules, every plan once, to the right prompt, within the bounds`, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  for (let schedule = 0; schedule < SCHEDULES; schedule++) {
    try {
      runSchedule(next);
    } catch (error) {
      t.fail(`schedule ${schedule}: ${(error as Error).stack}`);
      return;
    }
  }
  t.pass();
});

const BOUNDS: WaveBounds = {
  cells: 10_000,
  waveTokens: 100,
  microBatchTokens: 100,
  microBatchTokensMin: 0,
  sequences: 64,
};

let marks = 0;
function entry(prefix: number, leaf = 10, leaves = 1): Entry {
  marks += 1;
  const plan = planOf(
    Int32Array.from({ length: prefix }, (_, i) => marks * 10_000 + i),
    Array.from({ length: leaves }, (_, i) => ({
      tokens: new Int32Array(leaf).fill(marks * 100 + i),
      options: Int32Array.of(1),
    })),
  );
  return { plan, urgency: 'live', dropped: false, answers: 0 };
}

function setUp(sharing: Sharing = COLD) {
  const dispatcher = new Dispatcher<Entry>({ queueMax: 100 });
  const state = new ContextState<Entry>(BOUNDS, sharing);
  const cache = new Cache(BOUNDS);
  /** Plays the next wave; returns the entries it answers. */
  const next = (): Entry[] => {
    const wave = dispatcher.fill(state);
    if (wave === null) return [];
    cache.play(wave.task);
    return settle(
      wave,
      wave.answered.map(() => Float32Array.of(0)),
    ).map((answered) => answered.entry);
  };
  return { dispatcher, next, state, cache };
}

test('a short live plan waits for no more than the wave under way, however long the others are', async (t) => {
  const { dispatcher, next } = setUp();
  for (let i = 0; i < 3; i++) dispatcher.add(entry(2_000), 'live');
  for (let i = 0; i < 3; i++) dispatcher.add(entry(20, 1_200), 'live');
  for (let i = 0; i < 3; i++) dispatcher.add(entry(2_000), 'batch');
  for (let i = 0; i < 3; i++) dispatcher.add(entry(20, 1_200), 'batch');
  for (let round = 0; round < 150; round++) {
    next();
    const short = entry(30);
    dispatcher.add(short, 'live');
    t.ok(next().includes(short));
  }
});

test('a long plan moves by half a wave at least, however many short ones come', async (t) => {
  const { dispatcher, next } = setUp();
  for (const long of [entry(990), entry(10, 990)]) {
    dispatcher.add(long, 'live');
    let waves = 0;
    for (let done = false; !done; waves++) {
      for (let i = 0; i < 10; i++) dispatcher.add(entry(30), 'live');
      done = next().includes(long);
      t.ok(waves < 25, 'a thousand tokens in twenty halves');
    }
  }
});

/** Fills waves until nothing is left to do. */
function wavesOf(dispatcher: Dispatcher<Entry>, state: ContextState<Entry>): Array<Wave<Entry>> {
  const waves: Array<Wave<Entry>> = [];
  for (let wave = dispatcher.fill(state); wave !== null; wave = dispatcher.fill(state)) waves.push(wave);
  return waves;
}

test('a leaf of several waves is computed once for all who ask it, also where the first of them leaves', async (t) => {
  for (const leaves of [false, true]) {
    const dispatcher = new Dispatcher<Entry>({ queueMax: 10 });
    const state = new ContextState<Entry>(BOUNDS, COLD);
    const first = entry(50, 330);
    const second = { ...first };
    const builder = new WaveBuilder(state);
    for (const one of [first, second]) {
      dispatcher.add(one, 'live');
      dispatcher.remove(one);
      const running = builder.admit(one);
      if (running !== null) builder.advance(running, Math.min(60, builder.left));
    }
    const begun = builder.finish();
    t.equal(begun && tokensOf(begun.task), 100, 'both together fill the wave');
    first.dropped = leaves;
    const waves = wavesOf(dispatcher, state);
    t.strictSame(
      waves.map(({ task }) => tokensOf(task)),
      [100, 100, 80],
    );
    const answered = waves.flatMap((wave) => wave.answered.flat()).map(({ running }) => running.entry);
    t.ok(answered.includes(second));
    t.equal(state.begun.cells, 0);
    t.equal(state.running.length, 0);
  }
});

test('a leaf that nobody wants any more gives back its cells and its sequence', async (t) => {
  const { dispatcher, next, state, cache } = setUp();
  const long = entry(50, 400);
  dispatcher.add(long, 'live');
  next();
  t.equal(state.begun.cells, 400);
  t.equal(cache.sequences, 2, 'its prefix and itself');
  long.dropped = true;
  t.strictSame(next(), []);
  t.equal(state.begun.cells, 0);
  const other = entry(10);
  dispatcher.add(other, 'live');
  t.strictSame(next(), [other]);
  t.equal(cache.sequences, 0);
});

test('exact: the waves of a request are the same, whatever came before it', async (t) => {
  const asked = entry(130, 250, 3);
  const tasks = (before: readonly Entry[]) => {
    const dispatcher = new Dispatcher<Entry>({ queueMax: 10 });
    const state = new ContextState<Entry>(BOUNDS, { ...COLD, exact: true });
    for (const one of before) dispatcher.add(one, 'live');
    if (before.length > 0) dispatcher.fill(state);
    // The last is cut in the middle of a leaf.
    for (const one of before.slice(-1)) drop(one, dispatcher);
    wavesOf(dispatcher, state);
    dispatcher.add(asked, 'live');
    return wavesOf(dispatcher, state).map(({ task }) => task);
  };
  const alone = tasks([]);
  t.strictSame(alone.map(tokensOf), [100, 100, 100, 100, 100, 100, 100, 100, 80]);
  t.strictSame(tasks([entry(20, 30, 2), entry(70, 300)]), alone);
  t.strictSame(tasks([entry(70, 300)]), alone);
});

test('live goes before batch, and batch gets its turn after eight waves', async (t) => {
  const { dispatcher, next } = setUp();
  const batch = entry(10);
  dispatcher.add(batch, 'batch');
  let waves = 0;
  for (let done = false; !done; waves++) {
    for (let i = 0; i < 3; i++) dispatcher.add(entry(40), 'live');
    done = next().includes(batch);
    t.ok(waves <= 9);
  }
  t.equal(waves, 9, 'the ninth');
});

test('equal prefixes of one wave are computed once, and kept for later ones within the bound', async (t) => {
  const shared = entry(60, 5, 2);
  const same = { ...entry(1), plan: { ...shared.plan, leaves: entry(1, 7).plan.leaves } };
  const taken = (idleCellsMax: number) => {
    const dispatcher = new Dispatcher<Entry>({ queueMax: 10 });
    const state = new ContextState<Entry>(BOUNDS, { ...COLD, idleCellsMax });
    const count = () => {
      const wave = dispatcher.fill(state);
      return wave === null ? 0 : tokensOf(wave.task);
    };
    dispatcher.add({ ...shared }, 'live');
    dispatcher.add({ ...same }, 'live');
    const together = count();
    dispatcher.add({ ...same }, 'live');
    return [together, count()];
  };
  t.strictSame(taken(60), [60 + 10 + 7, 7]);
  t.strictSame(taken(59), [60 + 10 + 7, 60 + 7]);
});

test('queue: at its bound it takes no more, and a plan can be taken back', async (t) => {
  const dispatcher = new Dispatcher<Entry>({ queueMax: 2 });
  const [first, second, third] = [entry(1), entry(1), entry(1)];
  t.equal(dispatcher.add(first, 'live'), true);
  t.equal(dispatcher.add(second, 'live'), true);
  t.equal(dispatcher.add(third, 'live'), false);
  t.equal(dispatcher.add(third, 'batch'), true, 'each urgency has its own');
  t.equal(dispatcher.remove(first), true);
  t.equal(dispatcher.remove(first), false);
  t.strictSame(dispatcher.waiting('live'), [second]);
});
