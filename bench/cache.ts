// The gain of the prefix cache: the same requests with and without it, alternating within one run, at several rates
// of repeated states. A ratio above 1 means that the cache is faster. Short requests with states of their own run in
// between, because cached prefixes lengthen the cache that they attend over.
//
//   npm run bench:cache                       a generated model
//   npm run bench:cache -- --model FILE       a GGUF of your own
//   npm run bench:cache -- --json FILE        also write {machine, model, cases: [{case, kept_ms, cold_ms, ratio}]}
import { parseArgs } from 'node:util';
import { COUPLED_PRODUCT_MAX, type Plan, type Sharing } from '../src/engine/index.js';
import { CPU_BOUNDS, openInProcess } from './in-process.js';
import { machine, progress, showNumber, table, timesOf, writeJson } from './report.js';

const ROUNDS = 5;
const REQUESTS = 30;
const LONG_TOKENS = 1_500;
const SHORT_TOKENS = 40;
const SUFFIX_TOKENS = 60;
const REPEAT_RATES = [0, 0.5, 0.9];
const cold: Sharing = {
  head: new Int32Array(0),
  idleCellsMax: 0,
  exact: false,
  coupledProductMax: COUPLED_PRODUCT_MAX,
};
const SHARINGS = { kept: { ...cold, idleCellsMax: 4_096 }, cold };

const { values } = parseArgs({ options: { model: { type: 'string' }, json: { type: 'string' } } });
const engine = openInProcess(values.model, { layers: 6, width: 256, feedForward: 1_024 }, CPU_BOUNDS);

let made = 0;
const tokens = (count: number) => {
  made += 1;
  return Int32Array.from({ length: count }, (_, i) => 300 + ((i * 7 + made * 31) % 1_000));
};
const planOn = (prefix: Int32Array): Plan => ({
  prefix,
  prefixKey: prefix.join(),
  images: [],
  suffixes: [{ tokens: tokens(SUFFIX_TOKENS), options: engine.labels.slice(0, 3) }],
});

/** Long and short requests alternate; the given share of the long states are one of the last two. */
function requests(rate: number): Plan[] {
  const recent = [tokens(LONG_TOKENS), tokens(LONG_TOKENS)];
  return Array.from({ length: REQUESTS }, (_, i) => {
    if (i % 2 === 1) return planOn(tokens(SHORT_TOKENS));
    // Evenly spread, so that every rate is exact.
    const repeats = Math.floor((i / 2 + 1) * rate) > Math.floor((i / 2) * rate);
    if (!repeats) {
      recent.shift();
      recent.push(tokens(LONG_TOKENS));
    }
    return planOn(recent[repeats ? (i / 2) % 2 : 1] as Int32Array);
  });
}

const cases = REPEAT_RATES.map((rate) => {
  const times: Record<keyof typeof SHARINGS, number[]> = { kept: [], cold: [] };
  for (let round = -1; round < ROUNDS; round++) {
    progress(`${rate * 100} % repeated: round ${round + 2} of ${ROUNDS + 1}`);
    const plans = requests(rate);
    for (const name of ['kept', 'cold'] as const) {
      const state = engine.newState(SHARINGS[name]);
      // One after another, like a client that waits for each answer.
      const taken = plans.reduce((sum, plan) => sum + engine.time([plan], state), 0);
      if (round >= 0) times[name].push(taken);
    }
  }
  const [kept, without] = [timesOf(times.kept).median, timesOf(times.cold).median];
  return { case: `${rate * 100} % repeated`, kept_ms: kept, cold_ms: without, ratio: without / kept };
});

const { summary, threads } = engine;
console.log(
  `${machine()}\n${summary} on ${threads} threads; ${REQUESTS} requests, half on states of ${LONG_TOKENS} tokens, half of ${SHORT_TOKENS}; median of ${ROUNDS}, ms`,
);
const rows = cases.map((row) => [row.case, ...[row.kept_ms, row.cold_ms, row.ratio].map(showNumber)]);
console.log(table(['states', 'cache', 'no cache', 'ratio'], rows));
writeJson(values.json, { machine: machine(), model: summary, cases });
engine.close();
