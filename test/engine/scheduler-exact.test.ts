import { test } from 'tap';
import { ContextState, EXACT } from '../../src/engine/scheduler/context-state.js';
import { Scheduler } from '../../src/engine/scheduler/scheduler.js';
import { drop, type Entry, tokensOf } from '../support/cache.js';
import { COLD } from '../support/engine.js';
import { BOUNDS, entry, setUp, wavesOf } from '../support/scheduler.js';

test('exact: the waves of a request are the same, whatever came before it', async (t) => {
  const asked = entry(130, 250, 3);
  const tasks = (before: readonly Entry[]) => {
    const scheduler = new Scheduler<Entry>({ queueMax: 10 });
    const state = new ContextState<Entry>(BOUNDS, { ...COLD, exact: true });
    for (const one of before) scheduler.add(one, 'live');
    if (before.length > 0) scheduler.fill(state);
    // The last is cut in the middle of a suffix.
    for (const one of before.slice(-1)) drop(one, scheduler);
    wavesOf(scheduler, state);
    scheduler.add(asked, 'live');
    return wavesOf(scheduler, state).map(({ task }) => task);
  };
  const alone = tasks([]);
  t.strictSame(alone.map(tokensOf), [100, 100, 100, 100, 100, 100, 100, 100, 80]);
  t.strictSame(tasks([entry(20, 30, 2), entry(70, 300)]), alone);
  t.strictSame(tasks([entry(70, 300)]), alone);
});

/**
 * The kinds of the waves of contexts in exact mode, in turn, while live plans of `live` questions always wait, and batch plans of
 * `batch`.
 */
function exactWaves(contexts: number, rounds: number, live: number, batch: number): string[] {
  const scheduler = new Scheduler<Entry>({ queueMax: 100 });
  const states = Array.from({ length: contexts }, () => new ContextState<Entry>(BOUNDS, EXACT));
  // Computed with the equal plan that it waits for, so it takes no turn.
  scheduler.add({ ...entry(20), waits: true }, 'batch');
  const batches = new Set<Entry>();
  const kinds: string[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const state of states) {
      while (scheduler.waiting('live').length < 4) scheduler.add(entry(20, 80, live), 'live');
      while (scheduler.waiting('batch').length < 4) {
        const added = entry(20, 80, batch);
        batches.add(added);
        scheduler.add(added, 'batch');
      }
      const [before] = state.cache.running;
      const wave = scheduler.fill(state, states);
      const running = before ?? wave?.answered.flat()[0]?.running ?? state.cache.running[0];
      kinds.push(running && batches.has(running.entry) ? 'batch' : 'live');
    }
  }
  return kinds;
}

test('exact: while both kinds wait, batch plans get one wave of nine, whatever their size', async (t) => {
  for (const contexts of [1, 3]) {
    for (const [live, batch] of [
      [1, 1],
      [3, 1],
      [1, 20],
      [5, 100],
    ] as const) {
      const rounds = 4_000;
      const kinds = exactWaves(contexts, rounds, live, batch);
      const share = kinds.filter((kind) => kind === 'batch').length / kinds.length;
      const title = `${contexts} contexts, ${live} live questions, ${batch} of a batch: ${share}`;
      t.ok(share <= 1 / 9 + 0.03, title);
      t.ok(share >= 1 / 9 - 0.03, title);
    }
  }
});

test('exact: batch plans that run while no live plan waits get no turn beside it', async (t) => {
  const { scheduler, next } = setUp(EXACT);
  for (let round = 0; round < 40; round++) {
    const [live, batch] = [entry(20), entry(20)];
    scheduler.add(batch, 'batch');
    scheduler.add(live, 'live');
    t.strictSame([next(), next()], [[live], [batch]]);
  }
});

test('exact: the turn of batch plans begins to count with the first one that waits', async (t) => {
  const { scheduler, next } = setUp(EXACT);
  for (let plan = 0; plan < 20; plan++) {
    scheduler.add(entry(20), 'live');
    next();
  }
  const batch = entry(20);
  scheduler.add(batch, 'batch');
  for (let plan = 0; plan < 9; plan++) scheduler.add(entry(20), 'live');
  const order = Array.from({ length: 10 }, () => next()[0] === batch);
  t.equal(order.indexOf(true), 8);
});
