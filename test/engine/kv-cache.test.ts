import { test } from 'tap';
import { fixedBudget } from '../../src/engine/scheduler/idle-budget.js';
import { KvCache } from '../../src/engine/scheduler/kv-cache.js';
import type { Entry, Running } from '../../src/engine/scheduler/scheduler-types.js';
import { planOf } from '../support/engine.js';

const NO_SHARING = { head: new Int32Array(0), budget: fixedBudget(0) };

function boundsOf(cells: number, sequences: number) {
  return { cells, sequences, waveTokens: 1_000, microBatchTokens: 1_000, microBatchTokensMin: 0 };
}

let marks = 0;
function entryOf(prefix: number, ...suffixes: number[]): Entry {
  marks += 1;
  const tokens = (length: number, at: number) => new Int32Array(length).fill(marks * 100 + at);
  const own = suffixes.map((length, at) => ({ tokens: tokens(length, at), options: Int32Array.of(1) }));
  return { plan: planOf(tokens(prefix, 99), own), dropped: false };
}

/** Computes a whole plan in one wave. */
function runWhole(cache: KvCache<Entry>, entry: Entry): ReturnType<KvCache<Entry>['endWave']> | null {
  cache.beginWave();
  const running = cache.tryAdmit(entry, 0)?.running;
  if (running === undefined) return null;
  cache.extendPrefix(running, entry.plan.prefix.length);
  for (const { tokens } of entry.plan.suffixes) {
    const partial = cache.trySuffix(running, tokens.length);
    if (partial === null) return null;
    cache.extendSuffix(partial, tokens.length);
  }
  return cache.endWave();
}

test('cells: a plan that needs them all is admitted, one of a cell more is not', async (t) => {
  for (const [prefix, admitted] of [
    [90, true],
    [91, false],
  ] as const) {
    const cache = new KvCache<Entry>(boundsOf(100, 4), NO_SHARING);
    t.equal(runWhole(cache, entryOf(prefix, 10)) !== null, admitted);
  }
});

test('cells: room is kept for the longest suffix of any admitted plan', async (t) => {
  for (const [prefix, admitted] of [
    [40, true],
    [41, false],
  ] as const) {
    const cache = new KvCache<Entry>(boundsOf(100, 8), NO_SHARING);
    cache.beginWave();
    cache.tryAdmit(entryOf(30, 5, 30), 0);
    t.equal(cache.tryAdmit(entryOf(prefix, 5), 0) !== null, admitted);
  }
});

test('sequences: one for the prefix and one for each suffix of a wave; without one the suffix waits', async (t) => {
  const cache = new KvCache<Entry>(boundsOf(100, 3), NO_SHARING);
  const entry = entryOf(10, 5, 5, 5);
  cache.beginWave();
  const running = cache.tryAdmit(entry, 0)?.running;
  if (running === undefined) throw new Error('it was not admitted');
  cache.extendPrefix(running, 10);
  const taken = [1, 2, 3].map(() => cache.trySuffix(running, 5));
  t.strictSame(
    taken.map((partial) => partial?.sequence),
    [1, 2, undefined],
  );
  t.equal(cache.tryAdmit(entryOf(1, 1), 0), null, 'no sequence is left for another prefix');
  for (const partial of taken) if (partial) cache.extendSuffix(partial, 5);
  t.strictSame(cache.endWave().after, [1, 2]);
  t.equal(cache.running.length, 1, 'its third suffix is not computed');
});

test('once a suffix has found no room, only suffixes that end in the wave get cells', async (t) => {
  const cache = new KvCache<Entry>(boundsOf(100, 8), NO_SHARING);
  cache.beginWave();
  const [large, small] = [entryOf(10, 40, 40, 20), entryOf(2, 8)].map((entry) => {
    const running = cache.tryAdmit(entry, 0)?.running;
    if (running === undefined) throw new Error('it was not admitted');
    cache.extendPrefix(running, entry.plan.prefix.length);
    return running;
  }) as [Running<Entry>, Running<Entry>];
  t.ok(cache.trySuffix(large, 40));
  t.ok(cache.trySuffix(large, 1), 'a part of the second');
  t.equal(cache.trySuffix(large, 20), null, '8 cells are left');
  t.equal(cache.trySuffix(small, 7), null);
  t.ok(cache.trySuffix(small, 8));
});

test('idle prefixes stay within their bound and are evicted, least recently used first', async (t) => {
  const cache = new KvCache<Entry>(boundsOf(100, 8), { ...NO_SHARING, budget: fixedBudget(60) });
  const [first, second] = [entryOf(30, 5), entryOf(30, 5)];
  const cached = () => [first, second].map(({ plan }) => cache.cachedTokens(plan));
  runWhole(cache, first);
  runWhole(cache, second);
  runWhole(cache, { ...first });
  t.strictSame(cached(), [30, 30], 'at the bound of idle cells');
  runWhole(cache, entryOf(1, 5));
  t.strictSame(cached(), [30, 0], 'one cell past it');
  const freed = runWhole(cache, entryOf(69, 5));
  t.strictSame(cached(), [0, 0], 'evicted for cells');
  t.equal(freed?.before.length, 1, 'its sequence is removed before the wave uses the cells');
});

test('idle prefixes give up their sequences for suffixes, too', async (t) => {
  const cache = new KvCache<Entry>(boundsOf(1_000, 8), { ...NO_SHARING, budget: fixedBudget(900) });
  const idle = Array.from({ length: 7 }, () => entryOf(10, 5));
  for (const entry of idle) runWhole(cache, entry);
  // One sequence for the prefix, seven for the suffixes: none is left for an idle prefix.
  t.not(runWhole(cache, entryOf(10, 5, 6, 7, 8, 9, 10, 11)), null);
  t.strictSame(new Set(idle.map(({ plan }) => cache.cachedTokens(plan))), new Set([0]));
});

test('a dropped plan is released when the next wave begins', async (t) => {
  const cache = new KvCache<Entry>(boundsOf(100, 8), NO_SHARING);
  const dropped = { ...entryOf(10, 50), dropped: false };
  cache.beginWave();
  const running = cache.tryAdmit(dropped, 0)?.running;
  if (running === undefined) throw new Error('it was not admitted');
  cache.extendPrefix(running, 10);
  const partial = cache.trySuffix(running, 20);
  if (partial !== null) cache.extendSuffix(partial, 20);
  cache.endWave();
  t.strictSame([cache.running.length, cache.suffixCells], [1, 50]);
  dropped.dropped = true;
  cache.beginWave();
  t.strictSame([cache.running.length, cache.suffixCells], [0, 0]);
  t.not(cache.tryAdmit(entryOf(90, 10), 0), null, 'all cells are free');
});

test('cached tokens: what was computed before', async (t) => {
  const head = new Int32Array(4).fill(7);
  const cache = new KvCache<Entry>(boundsOf(1_000, 16), { head, budget: fixedBudget(500) });
  const prefix = Int32Array.of(...head, ...new Int32Array(20).fill(8));
  const plan = planOf(prefix, [{ tokens: Int32Array.of(9, 9), options: Int32Array.of(1) }]);
  const cached = () => {
    cache.beginWave();
    const running = cache.tryAdmit({ plan, dropped: false }, 100)?.running;
    if (running === undefined) throw new Error('no room');
    cache.extendPrefix(running, prefix.length);
    const partial = cache.trySuffix(running, 2);
    if (partial !== null) cache.extendSuffix(partial, 2);
    cache.endWave();
    return running.cachedTokens;
  };
  t.equal(cached(), 0, 'the head is computed with it');
  t.equal(cached(), 24);
  cache.reset();
  t.equal(cached(), 0);
  t.equal(cached(), 24);
});
