// Which form of sharing a prefix pays: one coupled decode, or prefix, copy, leaves. Both on the same plans
// in one run, in turn; a ratio above 1 means that the coupled form is faster.
//
//   npm run bench:forms                       a generated model of two layers: bookkeeping, hardly any arithmetic
//   npm run bench:forms -- --model FILE       a GGUF of your own
//   npm run bench:forms -- --json FILE        also write {machine, model, cases: [{case, coupled_ms, copied_ms, ratio}]}
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { COUPLED_PRODUCT_MAX, EXACT, type Plan } from '../src/engine/index.js';
import { median, openInProcess } from './in-process.js';

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

/** Exact mode, whose waves start empty, so that no round finds what another left. */
const FORMS = {
  coupled: { ...EXACT, coupledProductMax: Number.POSITIVE_INFINITY },
  copied: { ...EXACT, coupledProductMax: 0 },
};
type Form = keyof typeof FORMS;

const { values } = parseArgs({ options: { model: { type: 'string' }, json: { type: 'string' } } });
const engine = openInProcess(values.model, { layers: 2, globalEvery: 2 }, BOUNDS);
const tokens = (count: number) => Int32Array.from({ length: count }, (_, i) => 300 + ((i * 7) % 1_000));

const cases = CASES.map(([prefix, questions]) => {
  const plan: Plan = {
    prefix: tokens(prefix),
    prefixKey: String(prefix),
    images: [],
    // Each begins with a token of its own: equal ones would be computed once.
    suffixes: Array.from({ length: questions }, (_, i) => ({
      tokens: Int32Array.of(400 + i, ...tokens(SUFFIX_TOKENS - 1)),
      options: engine.labels.slice(0, 4),
    })),
  };
  const times: Record<Form, number[]> = { coupled: [], copied: [] };
  for (let round = -1; round < ROUNDS; round++) {
    for (const form of ['coupled', 'copied'] satisfies Form[]) {
      const taken = engine.time([plan], engine.newState(FORMS[form]));
      if (round >= 0) times[form].push(taken);
    }
  }
  return {
    case: `${prefix} × ${questions}`,
    coupled_ms: median(times.coupled),
    coupled_ms_min: Math.min(...times.coupled),
    copied_ms: median(times.copied),
    copied_ms_min: Math.min(...times.copied),
    ratio: median(times.copied) / median(times.coupled),
  };
});

const { machine, summary } = engine;
console.log(`${machine}; ${summary}; leaves of ${SUFFIX_TOKENS} tokens; median of ${ROUNDS} (min), ms`);
console.log('prefix × questions   coupled           copied            ratio');
for (const row of cases) {
  const cell = (value: number, min: number) => `${value.toFixed(1)} (${min.toFixed(1)})`.padEnd(18);
  const times = cell(row.coupled_ms, row.coupled_ms_min) + cell(row.copied_ms, row.copied_ms_min);
  console.log(`${row.case.padEnd(21)}${times}${row.ratio.toFixed(2)}`);
}
console.log(`the engine couples up to a product of ${COUPLED_PRODUCT_MAX.toLocaleString('en')}`);
if (values.json !== undefined) {
  writeFileSync(values.json, JSON.stringify({ machine, model: summary, cases }, null, 2));
}
engine.close();
