// The two forms of sharing a prefix: one coupled decode, or prefix, copy and suffixes. Both run the same plans,
// alternating within one run. A ratio above 1 means that the coupled form is faster.
//
//   npm run bench:forms                       a generated model of two layers: bookkeeping, hardly any arithmetic
//   npm run bench:forms -- --model FILE       a GGUF of your own
//   npm run bench:forms -- --minutes N        about so long, with fewer rounds
//   npm run bench:forms -- --json FILE        also write {machine, model, cases: [{case, coupled_ms, copied_ms, ratio}]}
import { COUPLED_PRODUCT_MAX, EXACT, type Plan } from '../src/engine/index.js';
import { openInProcess } from './in-process.js';
import { benchOptions } from './options.js';
import { machine, Pace, showNumber, showTimes, table, timesOf, writeJson } from './report.js';

const ROUNDS = 15;
const SUFFIX_TOKENS = 45;
const CASES: ReadonlyArray<readonly [prefix: number, questions: number]> = [
  [40, 3],
  [150, 16],
  [500, 4],
  [500, 16],
  [1_000, 16],
  [2_000, 4],
  [2_000, 16],
];
const BOUNDS = {
  cells: 8_192,
  waveTokens: 4_096,
  microBatchTokens: 512,
  microBatchTokensMin: 64,
  sequences: 64,
};

/** Exact mode: its waves start on an empty cache, so that rounds do not share anything. */
const FORMS = {
  coupled: { ...EXACT, coupledProductMax: Number.POSITIVE_INFINITY },
  copied: { ...EXACT, coupledProductMax: 0 },
};
type Form = keyof typeof FORMS;

const values = benchOptions({
  model: { type: 'string' },
});
const pace = new Pace({ cases: CASES.length, minutes: values.minutes });
const engine = openInProcess(values.model, { layers: 2, globalEvery: 2 }, BOUNDS);
const tokens = (count: number) => Int32Array.from({ length: count }, (_, i) => 300 + ((i * 7) % 1_000));

const cases = CASES.map(([prefix, questions]) => {
  const plan: Plan = {
    prefix: tokens(prefix),
    prefixKey: String(prefix),
    images: [],
    // Each begins with a different token: equal suffixes would be computed once.
    suffixes: Array.from({ length: questions }, (_, i) => ({
      tokens: Int32Array.of(400 + i, ...tokens(SUFFIX_TOKENS - 1)),
      options: engine.labels.slice(0, 4),
    })),
  };
  const times: Record<Form, number[]> = { coupled: [], copied: [] };
  // The first round warms up.
  for (const round of pace.rounds(`${prefix} × ${questions}`, ROUNDS + 1, 2)) {
    for (const form of ['coupled', 'copied'] satisfies Form[]) {
      const taken = engine.time([plan], engine.newState(FORMS[form]));
      if (round > 0) times[form].push(taken);
    }
  }
  const [coupled, copied] = [timesOf(times.coupled), timesOf(times.copied)];
  return { case: `${prefix} × ${questions}`, coupled, copied, ratio: copied.median / coupled.median };
});

const { summary, threads } = engine;
console.log(
  `${machine()}\n${summary} on ${threads} threads; suffixes of ${SUFFIX_TOKENS} tokens; median of at most ${ROUNDS} (min), ms`,
);
const rows = cases.map((row) => [
  row.case,
  showTimes(row.coupled),
  showTimes(row.copied),
  showNumber(row.ratio),
]);
console.log(table(['prefix × questions', 'coupled', 'copied', 'ratio'], rows));
console.log(`the engine couples up to a product of ${COUPLED_PRODUCT_MAX.toLocaleString('en')}`);
const shown = cases.map(({ case: name, coupled, copied, ratio }) => ({
  case: name,
  coupled_ms: coupled.median,
  coupled_ms_min: coupled.min,
  copied_ms: copied.median,
  copied_ms_min: copied.min,
  ratio,
}));
writeJson(values.json, { machine: machine(), model: summary, cases: shown });
engine.close();
