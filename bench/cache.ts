// The gain of the prefix cache: the same requests with a cache that adapts to repeated states, with one that always keeps
// as much as it may, and without one, alternating within one run. A ratio above 1 is faster than no cache.
// Short requests with states of their own run in between, because cached prefixes lengthen the cache that they attend
// over.
//
//   npm run bench:cache                       a generated model
//   npm run bench:cache -- --model FILE       a GGUF of your own
//   npm run bench:cache -- --simulate         tokens are counted instead of computed
//   npm run bench:cache -- --minutes N         about so long, with fewer rounds
//   npm run bench:cache -- --json FILE        also write {machine, model, cases: [{case, adaptive, kept, cold}]}
import { random } from '../src/base/index.js';
import { COUPLED_PRODUCT_MAX, type Sharing } from '../src/engine/index.js';
import { AdaptiveBudget, fixedBudget } from '../src/engine/scheduler/idle-budget.js';
import { LONG_TOKENS, RATES, repeatingPlans, SHORT_TOKENS } from './cache/plans.js';
import { type CacheCosts, cacheCosts } from './cache/simulated.js';
import { CPU_BOUNDS, openInProcess } from './in-process.js';
import { benchOptions } from './options.js';
import { machine, Pace, showNumber, table, timesOf, writeJson } from './report.js';

const ROUNDS = 3;
const REQUESTS = 100;
const SIMULATED_REQUESTS = 200;
const SIMULATED_SEEDS = [1, 2, 3, 4, 5, 6];
const IDLE_CELLS_MAX = 4_096;
const SHARING: Sharing = {
  head: new Int32Array(0),
  idleCellsMax: IDLE_CELLS_MAX,
  exact: false,
  coupledProductMax: COUPLED_PRODUCT_MAX,
};
const BUDGETS = {
  kept: () => fixedBudget(IDLE_CELLS_MAX),
  adaptive: () => new AdaptiveBudget(IDLE_CELLS_MAX),
  cold: () => fixedBudget(0),
};

const values = benchOptions({
  model: { type: 'string' },
  simulate: { type: 'boolean' },
});
const names = Object.keys(RATES);
const pace = new Pace({ cases: names.length, minutes: values.minutes });

const { title, cases } = values.simulate ? simulated() : measured();
console.log(`${title}\n${shape()}`);
console.log(
  table(
    ['repeated states', 'adaptive', 'all kept', 'no cache', 'gain, adaptive', 'gain, all kept'],
    cases.map(([name, { adaptive, kept, cold }]) => [
      name,
      ...[adaptive, kept, cold, cold / adaptive, cold / kept].map(showNumber),
    ]),
  ),
);
writeJson(values.json, {
  machine: machine(),
  model: title,
  cases: cases.map(([name, costs]) => ({ case: name, ...costs })),
});

function shape(): string {
  return `requests on states of ${LONG_TOKENS} and ${SHORT_TOKENS} tokens in turn`;
}

function simulated() {
  const found = names
    .filter((name) => pace.begins(name))
    .map((name) => [name, cacheCosts(name, SIMULATED_REQUESTS, SIMULATED_SEEDS)] as const);
  return { title: `Simulated: cost in tokens of ${SIMULATED_REQUESTS} requests, 6 runs`, cases: found };
}

function measured() {
  const engine = openInProcess(values.model, { layers: 6, width: 256, feedForward: 1_024 }, CPU_BOUNDS);
  const found = names.map((name) => {
    const times: Record<keyof CacheCosts, number[]> = { kept: [], adaptive: [], cold: [] };
    // The first round warms up.
    for (const round of pace.rounds(name, ROUNDS + 1, 2)) {
      const rate = RATES[name] as (part: number) => number;
      const plans = repeatingPlans(rate, REQUESTS, engine.labels.slice(0, 3), random(round + 1));
      for (const way of ['kept', 'adaptive', 'cold'] as const) {
        const state = engine.newState(SHARING, BUDGETS[way]());
        // One after another, like a client that waits for each answer.
        const taken = plans.reduce((sum, plan) => sum + engine.time([plan], state), 0);
        if (round > 0) times[way].push(taken);
      }
    }
    const median = (way: keyof CacheCosts) => timesOf(times[way]).median;
    return [name, { kept: median('kept'), adaptive: median('adaptive'), cold: median('cold') }] as const;
  });
  const { summary, threads } = engine;
  engine.close();
  return {
    title: `${machine()}\n${summary} on ${threads} threads; ${REQUESTS} requests, median of at most ${ROUNDS}, ms`,
    cases: found,
  };
}
