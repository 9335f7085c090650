import { test } from 'tap';
import { cacheCosts } from '../../bench/cache/simulated.js';
import { AdaptiveBudget, CELL_PRICE, fixedBudget } from '../../src/engine/scheduler/idle-budget.js';

const MAX = 1_000;

test('a fixed budget is what it is', async (t) => {
  const budget = fixedBudget(7);
  budget.compute(1e6);
  t.equal(budget.cells, 7);
  t.equal(budget.newHistory(), null);
});

test('the history: how many cells would have kept a prefix', async (t) => {
  const history = new AdaptiveBudget(MAX).newHistory();
  for (const [key, tokens] of [
    ['a', 100],
    ['b', 200],
    ['c', 300],
  ] as const) {
    history.begin(key, tokens);
    history.end(key, tokens);
  }
  t.strictSame(
    ['a', 'b', 'c', 'd'].map((key) => history.distanceOf(key)),
    [600, 500, 300, undefined],
  );
  history.begin('a', 100);
  t.strictSame(
    ['a', 'b', 'c'].map((key) => history.distanceOf(key)),
    [100, 600, 400],
  );
  history.end('d', 500);
  t.strictSame(
    ['a', 'b', 'c', 'd'].map((key) => history.distanceOf(key)),
    [600, undefined, 900, 500],
  );
  history.end('longer than all cells', MAX + 1);
  t.equal(history.distanceOf('d'), 500);
  for (let each = 0; each < 300; each++) history.end(`short ${each}`, 1);
  t.strictSame(
    [44, 43].map((each) => history.distanceOf(`short ${each}`)),
    [256, undefined],
    'at most 256',
  );
});

test('the budget: nothing until a prefix repeats, then twice what that takes, and nothing after a window without', async (t) => {
  const budget = new AdaptiveBudget(MAX);
  const history = budget.newHistory();
  const use = (key: string, tokens: number) => {
    history.begin(key, tokens);
    history.end(key, tokens);
    budget.compute(tokens);
  };
  use('a', 200);
  use('b', 100);
  t.equal(budget.cells, 0);
  use('a', 200);
  t.equal(budget.cells, 600);
  use('c', 500);
  use('a', 200);
  t.equal(budget.cells, MAX, 'never more than the most');
  for (let each = 0; each < 12; each++) {
    t.equal(budget.cells, MAX);
    use(`new ${each}`, 500);
  }
  use('another', 1);
  t.equal(budget.cells, 0);
});

test('the budget: a repeat that saves less than the cells cost is not worth them', async (t) => {
  for (const [computed, cells] of [
    [0.9 / CELL_PRICE, 2],
    [1.1 / CELL_PRICE, 0],
  ] as const) {
    const budget = new AdaptiveBudget(1e6);
    const history = budget.newHistory();
    history.end('a', 1);
    budget.compute(computed);
    history.begin('a', 1);
    t.equal(budget.cells, cells);
  }
});

test('lanes share a budget: a prefix that repeats on another lane counts too', async (t) => {
  const budget = new AdaptiveBudget(MAX);
  const [first, second] = [budget.newHistory(), budget.newHistory()];
  first.end('a', 50);
  second.end('b', 400);
  second.begin('a', 50);
  t.equal(budget.cells, 100);
});

const REQUESTS = 200;
const SEEDS = [1, 2, 3, 4, 5, 6];

test('simulated waves: nothing is lost where no state repeats, and hardly any gain where many do', async (t) => {
  const never = cacheCosts('0 %', REQUESTS, SEEDS);
  t.ok(never.adaptive <= 1.01 * never.cold, '0 %');
  for (const name of ['50 %', '90 %', '90 %, then 0 %, then 90 %', '0 %, then 50 %, then 0 %']) {
    const { kept, adaptive, cold } = cacheCosts(name, REQUESTS, SEEDS);
    const gain = (cold - adaptive) / (cold - kept);
    t.ok(gain >= 0.95, `${name}: ${gain.toFixed(3)} of the gain of keeping all`);
  }
});
