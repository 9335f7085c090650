import { test } from 'tap';
import { ContextState } from '../../src/engine/scheduler/context-state.js';
import { Scheduler } from '../../src/engine/scheduler/scheduler.js';
import { WaveBuilder } from '../../src/engine/scheduler/wave-builder.js';
import { type Entry, tokensOf } from '../support/cache.js';
import { COLD, planOf } from '../support/engine.js';
import { BOUNDS, entry, setUp, wavesOf } from '../support/scheduler.js';

test('a short live plan waits at most for the wave in progress, however long the others are', async (t) => {
  const { scheduler, next } = setUp();
  for (let i = 0; i < 3; i++) scheduler.add(entry(2_000), 'live');
  for (let i = 0; i < 3; i++) scheduler.add(entry(20, 1_200), 'live');
  for (let i = 0; i < 3; i++) scheduler.add(entry(2_000), 'batch');
  for (let i = 0; i < 3; i++) scheduler.add(entry(20, 1_200), 'batch');
  for (let round = 0; round < 150; round++) {
    next();
    const short = entry(30);
    scheduler.add(short, 'live');
    t.ok(next().includes(short));
  }
});

test('the example of the scheduler: short plans and a long one share waves', async (t) => {
  const { scheduler, next, state } = setUp();
  const long = entry(1_100);
  scheduler.add(long, 'live');
  next();
  const short = [entry(10, 10), entry(10, 30)] as const;
  for (const each of short) scheduler.add(each, 'live');
  scheduler.add(entry(10, 10), 'batch');
  const left = () => state.cache.running.map((each) => [each.entry, state.cache.remainingOf(each)]);
  t.strictSame(left(), [[long, 1_010]]);
  t.strictSame(next(), [short[0]]);
  t.strictSame(left(), [[long, 930]]);
  t.strictSame(next(), [short[1]]);
  t.strictSame(left(), [[long, 870]]);
  t.equal(scheduler.waiting('batch').length, 1);
});

test('a wave counts the prefixes of the plans it admits: computed, or there already', async (t) => {
  const { scheduler, state } = setUp();
  const first = entry(30);
  const same = {
    ...first,
    plan: planOf(first.plan.prefix, [{ tokens: new Int32Array(5), options: Int32Array.of(1) }]),
  };
  for (const each of [first, same, entry(20)]) scheduler.add(each, 'live');
  t.strictSame(scheduler.fill(state)?.prefixes, { hits: 1, misses: 2 });
  // A long plan is counted by its first wave only.
  scheduler.add(entry(150), 'live');
  t.strictSame(scheduler.fill(state)?.prefixes, { hits: 0, misses: 1 });
  t.strictSame(scheduler.fill(state)?.prefixes, { hits: 0, misses: 0 });
});

/** Waves of live plans alone, until the next is the turn of batch plans. */
function untilBatchTurn({ scheduler, next }: Pick<ReturnType<typeof setUp>, 'scheduler' | 'next'>): void {
  for (let wave = 0; wave < 8; wave++) {
    for (let i = 0; i < 2; i++) scheduler.add(entry(40), 'live');
    next();
  }
}

test('filling an idle context does not count as a wave: batch plans keep their share beside live plans', async (t) => {
  const { scheduler, next, state } = setUp();
  scheduler.add(entry(20), 'live');
  next();
  for (let fills = 0; fills < 8; fills++) t.equal(scheduler.fill(state), null);
  scheduler.add(entry(90), 'batch');
  next();
  t.equal(state.cache.running[0]?.prefix.done, 20, 'a fifth of a wave');
});

test('a batch turn without live plans does not end at its quarter', async (t) => {
  const { scheduler, next, state } = setUp();
  state.wavesWithoutBatch = 8;
  const batch = entry(80);
  scheduler.add(batch, 'batch');
  t.strictSame(next(), [batch]);
});

test('a long live plan that a batch turn makes short does not take the place of a short one', async (t) => {
  const { scheduler, next, state } = setUp();
  const batch = entry(70, 40);
  const long: Entry = { ...entry(1), plan: { ...batch.plan, suffixes: entry(1, 1).plan.suffixes } };
  scheduler.add(entry(1), 'live');
  next();
  // Its first 10 tokens are computed; the queue of live plans is then never empty until the turn.
  scheduler.add(entry(40, 50), 'live');
  scheduler.add(batch, 'batch');
  next();
  t.equal(state.remaining(long), 61, 'more than half a wave');
  untilBatchTurn({ scheduler, next });
  const short = entry(40);
  scheduler.add(long, 'live');
  scheduler.add(short, 'live');
  t.ok(next().includes(short), 'although the long one lacks 46 tokens after the quarter of the turn');
});

test('a batch turn leaves the head out if a quarter of a wave is too small for it', async (t) => {
  const head = Int32Array.from({ length: 60 }, (_, i) => 5 + i);
  const { scheduler, next } = setUp({ ...COLD, head });
  const plain = entry(1);
  const prefix = Int32Array.of(...head, 1, 2, 3);
  const batch: Entry = { ...plain, plan: planOf(prefix, plain.plan.suffixes) };
  scheduler.add(batch, 'batch');
  scheduler.add(entry(500), 'live');
  for (let wave = 0; wave < 8; wave++) {
    scheduler.add(entry(500), 'live');
    next();
  }
  const short = entry(40);
  scheduler.add(short, 'live');
  t.ok(next().includes(short));
});

test('a batch plan without room does not delay short live plans, and gets room in the end', async (t) => {
  const { scheduler, next, state } = setUp();
  const batch = entry(7_000);
  // There is always one of these on the context, and the next comes before it has left.
  for (let i = 0; i < 10; i++) scheduler.add(entry(4_000), 'live');
  next();
  scheduler.add(batch, 'batch');
  let waves = 0;
  for (; state.cache.running.every((running) => running.entry !== batch); waves++) {
    const short = entry(31, 5, 2);
    scheduler.add(short, 'live');
    t.ok(next().includes(short));
    if (waves > 200) throw new Error('the batch plan waits for ever');
  }
  t.ok(waves > 9, 'it had no room in its first turn');
});

test('a long plan advances by at least half a wave, however many short ones arrive', async (t) => {
  const { scheduler, next } = setUp();
  for (const long of [entry(990), entry(10, 990)]) {
    scheduler.add(long, 'live');
    let waves = 0;
    for (let done = false; !done; waves++) {
      for (let i = 0; i < 10; i++) scheduler.add(entry(30), 'live');
      done = next().includes(long);
      t.ok(waves < 25, 'a thousand tokens in twenty halves');
    }
  }
});

test('a suffix of several waves is computed once for all plans that have it, also if the first of them is dropped', async (t) => {
  for (const leaves of [false, true]) {
    const scheduler = new Scheduler<Entry>({ queueMax: 10 });
    const state = new ContextState<Entry>(BOUNDS, COLD);
    const first = entry(50, 330);
    const second = { ...first };
    const builder = new WaveBuilder(state);
    for (const one of [first, second]) {
      scheduler.add(one, 'live');
      scheduler.remove(one);
      const running = builder.tryAdmit(one, builder.left);
      if (running !== null) builder.advance(running, Math.min(60, builder.left));
    }
    const begun = builder.finish();
    t.equal(begun && tokensOf(begun.task), 100, 'both together fill the wave');
    first.dropped = leaves;
    const waves = wavesOf(scheduler, state);
    t.strictSame(
      waves.map(({ task }) => tokensOf(task)),
      [100, 100, 80],
    );
    const answered = waves.flatMap((wave) => wave.answered.flat()).map(({ running }) => running.entry);
    t.ok(answered.includes(second));
    t.equal(state.cache.suffixCells, 0);
    t.equal(state.cache.running.length, 0);
  }
});

test('a suffix that is no longer needed returns its cells and its sequence', async (t) => {
  const { scheduler, next, state, cache } = setUp();
  const long = entry(50, 400);
  scheduler.add(long, 'live');
  next();
  t.equal(state.cache.suffixCells, 400);
  t.equal(cache.sequences, 2, 'its prefix and itself');
  long.dropped = true;
  t.strictSame(next(), []);
  t.equal(state.cache.suffixCells, 0);
  const other = entry(10);
  scheduler.add(other, 'live');
  t.strictSame(next(), [other]);
  t.equal(cache.sequences, 0);
});

test('a live plan that runs alone lets a batch plan end that holds the cells it needs', async (t) => {
  const bounds = { ...BOUNDS, cells: 100, waveTokens: 20 };
  const scheduler = new Scheduler<Entry>({ queueMax: 100 });
  const state = new ContextState<Entry>(bounds, COLD);
  const [batch, live] = [entry(10, 60), entry(10, 60)];
  for (const each of [batch, live]) each.alone = true;
  scheduler.add(batch, 'batch');
  t.ok(scheduler.fill(state));
  scheduler.add(live, 'live');
  const waves = wavesOf(scheduler, state);
  t.strictSame(
    waves.flatMap(({ answered }) => answered.flat().map(({ running }) => running.entry)),
    [batch, live],
  );
});

test('live goes before batch, and batch gets its turn after eight waves', async (t) => {
  const { scheduler, next } = setUp();
  const batch = entry(10);
  scheduler.add(batch, 'batch');
  let waves = 0;
  for (let done = false; !done; waves++) {
    for (let i = 0; i < 3; i++) scheduler.add(entry(40), 'live');
    done = next().includes(batch);
    t.ok(waves <= 9);
  }
  t.equal(waves, 9, 'the ninth');
});

test('batch plans: nothing of the first wave with a live plan, a fifth of eight more waves, then all', async (t) => {
  const { scheduler, state } = setUp();
  for (let i = 0; i < 20; i++) scheduler.add(entry(2_000), 'batch');
  const taken = () => {
    const wave = scheduler.fill(state);
    return wave === null ? 0 : tokensOf(wave.task);
  };
  const LIVE = 30 + 10;
  for (let round = 0; round < 3; round++) {
    t.equal(taken(), 100, 'no other plan is running');
    scheduler.add(entry(30), 'live');
    t.equal(taken(), LIVE);
    for (let wave = 0; wave < 3; wave++) {
      t.equal(taken(), 20);
      scheduler.add(entry(30), 'live');
      t.equal(taken(), LIVE + 20);
    }
    for (let wave = 0; wave < 8; wave++) t.equal(taken(), 20, `wave ${wave} without a live plan`);
  }
});

test('each context has its own turns of batch plans, and none in the eight waves after one', async (t) => {
  const scheduler = new Scheduler<Entry>({ queueMax: 100 });
  const batch = entry(40);
  const other = new ContextState<Entry>(BOUNDS, COLD);
  const state = new ContextState<Entry>(BOUNDS, COLD);
  scheduler.add(entry(1), 'live');
  scheduler.fill(state);
  scheduler.add(entry(80), 'live');
  scheduler.add(batch, 'batch');
  scheduler.fill(state);
  t.equal(state.cache.running[0]?.prefix.done, 10, 'it is begun in the room left');
  const done: number[] = [];
  for (let wave = 0; wave < 18; wave++) {
    for (const each of [state, other]) {
      for (let i = 0; i < 2; i++) scheduler.add(entry(40), 'live');
      scheduler.fill(each);
    }
    done.push(state.cache.running.find(({ entry }) => entry === batch)?.prefix.done ?? 50);
  }
  t.strictSame(done, [...Array(8).fill(10), ...Array(9).fill(35), 50]);
});

test('equal prefixes of one wave are computed once, and kept for later ones within the bound', async (t) => {
  const shared = entry(60, 5, 2);
  const same = { ...entry(1), plan: { ...shared.plan, suffixes: entry(1, 7).plan.suffixes } };
  const taken = (idleCellsMax: number) => {
    const scheduler = new Scheduler<Entry>({ queueMax: 10 });
    const state = new ContextState<Entry>(BOUNDS, { ...COLD, idleCellsMax });
    const count = () => {
      const wave = scheduler.fill(state);
      return wave === null ? 0 : tokensOf(wave.task);
    };
    scheduler.add({ ...shared }, 'live');
    scheduler.add({ ...same }, 'live');
    const together = count();
    scheduler.add({ ...same }, 'live');
    return [together, count()];
  };
  t.strictSame(taken(60), [60 + 10 + 7, 7]);
  t.strictSame(taken(59), [60 + 10 + 7, 60 + 7]);
});

test('queue: at its bound it takes no more, and a plan can be taken back', async (t) => {
  const scheduler = new Scheduler<Entry>({ queueMax: 2 });
  const [first, second, third] = [entry(1), entry(1), entry(1)];
  t.equal(scheduler.add(first, 'live'), true);
  t.equal(scheduler.add(second, 'live'), true);
  t.equal(scheduler.add(third, 'live'), false);
  t.equal(scheduler.add(third, 'batch'), true, 'each urgency has its own');
  t.equal(scheduler.remove(first), true);
  t.equal(scheduler.remove(first), false);
  t.strictSame(scheduler.waiting('live'), [second]);
});
