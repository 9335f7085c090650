import { test } from 'tap';
import {
  ContextState,
  Dispatcher,
  type Sharing,
  settle,
  type Wave,
  WaveBuilder,
} from '../../src/engine/dispatcher/index.js';
import type { WaveBounds } from '../../src/engine/wave/index.js';
import { Cache, drop, type Entry, tokensOf } from '../helpers/cache.js';
import { COLD, planOf } from '../helpers/engine.js';

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

/** Waves of live plans alone, until the next is the turn of batch plans. */
function untilBatchTurn({ dispatcher, next }: Pick<ReturnType<typeof setUp>, 'dispatcher' | 'next'>): void {
  for (let wave = 0; wave < 8; wave++) {
    for (let i = 0; i < 2; i++) dispatcher.add(entry(40), 'live');
    next();
  }
}

test('a long live plan that a batch turn makes short does not take the place of a short one', async (t) => {
  const { dispatcher, next, state } = setUp();
  const batch = entry(70, 40);
  const long: Entry = { ...entry(1), plan: { ...batch.plan, leaves: entry(1, 1).plan.leaves } };
  dispatcher.add(entry(1), 'live');
  next();
  // Its first 10 tokens are computed; the queue of live plans is then never empty until the turn.
  dispatcher.add(entry(40, 50), 'live');
  dispatcher.add(batch, 'batch');
  next();
  t.equal(state.remaining(long), 61, 'more than half a wave');
  untilBatchTurn({ dispatcher, next });
  const short = entry(40);
  dispatcher.add(long, 'live');
  dispatcher.add(short, 'live');
  t.ok(next().includes(short), 'although the long one lacks 46 tokens after the quarter of the turn');
});

test('the head is no part of a batch turn where a quarter of a wave is too little for it', async (t) => {
  const head = Int32Array.from({ length: 60 }, (_, i) => 5 + i);
  const { dispatcher, next } = setUp({ ...COLD, head });
  const plain = entry(1);
  const prefix = Int32Array.of(...head, 1, 2, 3);
  const batch: Entry = { ...plain, plan: planOf(prefix, plain.plan.leaves) };
  dispatcher.add(batch, 'batch');
  dispatcher.add(entry(500), 'live');
  for (let wave = 0; wave < 8; wave++) {
    dispatcher.add(entry(500), 'live');
    next();
  }
  const short = entry(40);
  dispatcher.add(short, 'live');
  t.ok(next().includes(short));
});

test('a batch plan without room keeps no short live plan waiting, and has its room in the end', async (t) => {
  const { dispatcher, next, state } = setUp();
  const batch = entry(7_000);
  // There is always one of these on the context, and the next comes before it has left.
  for (let i = 0; i < 10; i++) dispatcher.add(entry(4_000), 'live');
  next();
  dispatcher.add(batch, 'batch');
  let waves = 0;
  for (; state.running.every((running) => running.entry !== batch); waves++) {
    const short = entry(31, 5, 2);
    dispatcher.add(short, 'live');
    t.ok(next().includes(short));
    if (waves > 200) throw new Error('the batch plan waits for ever');
  }
  t.ok(waves > 9, 'it had no room in its first turn');
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
      const running = builder.admit(one, builder.left);
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

test('batch plans: nothing of the first wave with a live plan, a fifth of eight more waves, then all', async (t) => {
  const { dispatcher, state } = setUp();
  for (let i = 0; i < 20; i++) dispatcher.add(entry(2_000), 'batch');
  const taken = () => {
    const wave = dispatcher.fill(state);
    return wave === null ? 0 : tokensOf(wave.task);
  };
  const LIVE = 30 + 10;
  for (let round = 0; round < 3; round++) {
    t.equal(taken(), 100, 'nobody else is there');
    dispatcher.add(entry(30), 'live');
    t.equal(taken(), LIVE);
    for (let wave = 0; wave < 3; wave++) {
      t.equal(taken(), 20);
      dispatcher.add(entry(30), 'live');
      t.equal(taken(), LIVE + 20);
    }
    for (let wave = 0; wave < 8; wave++) t.equal(taken(), 20, `wave ${wave} without a live plan`);
  }
});

test('each context has its own turns of batch plans, and none in the eight waves after one', async (t) => {
  const dispatcher = new Dispatcher<Entry>({ queueMax: 100 });
  const batch = entry(40);
  const other = new ContextState<Entry>(BOUNDS, COLD);
  const state = new ContextState<Entry>(BOUNDS, COLD);
  dispatcher.add(entry(1), 'live');
  dispatcher.fill(state);
  dispatcher.add(entry(80), 'live');
  dispatcher.add(batch, 'batch');
  dispatcher.fill(state);
  t.equal(state.running[0]?.prefix.done, 10, 'it is begun in the room left');
  const done: number[] = [];
  for (let wave = 0; wave < 18; wave++) {
    for (const each of [state, other]) {
      for (let i = 0; i < 2; i++) dispatcher.add(entry(40), 'live');
      dispatcher.fill(each);
    }
    done.push(state.running.find(({ entry }) => entry === batch)?.prefix.done ?? 50);
  }
  t.strictSame(done, [...Array(8).fill(10), ...Array(9).fill(35), 50]);
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
