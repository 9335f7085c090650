// Which form of sharing a prefix pays: one coupled decode, or prefix, copy, leaves. Both on the same plans
// in one run, in turn; a ratio above 1 means that the coupled form is faster.
//
//   npm run bench:forms                       a generated model of two layers: bookkeeping, hardly any arithmetic
//   npm run bench:forms -- --model FILE       a GGUF of your own
//   npm run bench:forms -- --json FILE        also write {machine, model, cases: [{case, coupled_ms, copied_ms, ratio}]}
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeTinyModel } from '../models/tiny/index.js';
import { ContextState, Dispatcher, type Entry } from '../src/engine/dispatcher/index.js';
import { COUPLED_PRODUCT_MAX, EXACT, loadAddon, openModel, type Plan } from '../src/engine/index.js';
import { contextOptions, runWave } from '../src/engine/wave/index.js';

const ROUNDS = 15;
const LEAF_TOKENS = 45;
const CASES: ReadonlyArray<readonly [prefix: number, questions: number]> = [
  [40, 3],
  [150, 16],
  [500, 4],
  [500, 16],
  [1_000, 16],
  [2_000, 4],
  [2_000, 16],
];

const { values } = parseArgs({ options: { model: { type: 'string' }, json: { type: 'string' } } });
const folder = mkdtempSync(join(tmpdir(), 'decider-bench-'));
const file = values.model ?? join(folder, 'bench.gguf');
if (values.model === undefined) writeTinyModel(file, { layers: 2, globalEvery: 2 });

const threads = Math.max(1, availableParallelism() - 1);
const bounds = {
  cells: 8_192,
  waveTokens: 4_096,
  microBatchTokens: 512,
  microBatchTokensMin: 64,
  sequences: 64,
};
const { addon } = loadAddon('cpu');
const model = openModel(addon, '', {
  id: 'bench',
  path: file,
  sha256: '',
  model: {
    id: 'bench',
    description: '',
    release_date: null,
    builds: [],
    reads_images: false,
    price_class: '',
  },
});
const context = addon.createContext(model.handle, contextOptions(bounds, threads));
const cancel = new Int32Array(new SharedArrayBuffer(4));

const tokens = (count: number) => Int32Array.from({ length: count }, (_, i) => 300 + ((i * 7) % 1_000));
const median = (list: number[]) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] as number;

/** Exact mode, whose waves start empty, so that no round finds what another left. */
const FORMS = {
  coupled: { ...EXACT, coupledProductMax: Number.POSITIVE_INFINITY },
  copied: { ...EXACT, coupledProductMax: 0 },
};
type Form = keyof typeof FORMS;

function time(plan: Plan, form: Form): number {
  const dispatcher = new Dispatcher<Entry>({ queueMax: 1 });
  const state = new ContextState<Entry>(bounds, FORMS[form]);
  dispatcher.add({ plan, dropped: false }, 'live');
  const start = performance.now();
  for (let wave = dispatcher.fill(state); wave !== null; wave = dispatcher.fill(state)) {
    runWave(context, wave.task, bounds, cancel);
  }
  return performance.now() - start;
}

const cases = CASES.map(([prefix, questions]) => {
  const options = model.profile.labels.slice(0, 4);
  const plan: Plan = {
    prefix: tokens(prefix),
    prefixKey: String(prefix),
    // Each begins with a token of its own: equal ones would be computed once.
    leaves: Array.from({ length: questions }, (_, i) => ({
      tokens: Int32Array.of(400 + i, ...tokens(LEAF_TOKENS - 1)),
      options,
    })),
  };
  const times: Record<Form, number[]> = { coupled: [], copied: [] };
  for (let round = -1; round < ROUNDS; round++) {
    for (const form of ['coupled', 'copied'] satisfies Form[]) {
      const taken = time(plan, form);
      if (round >= 0) times[form].push(taken);
    }
  }
  const [coupled, copied] = [median(times.coupled), median(times.copied)];
  return {
    case: `${prefix} × ${questions}`,
    coupled_ms: coupled,
    coupled_ms_min: Math.min(...times.coupled),
    copied_ms: copied,
    copied_ms_min: Math.min(...times.copied),
    ratio: copied / coupled,
  };
});

const machine = `${cpus()[0]?.model ?? 'unknown'}, ${threads} of ${availableParallelism()} cores`;
console.log(
  `${machine}; ${model.description.summary}; leaves of ${LEAF_TOKENS} tokens; median of ${ROUNDS} (min), ms`,
);
console.log('prefix × questions   coupled           copied            ratio');
for (const row of cases) {
  const cell = (value: number, min: number) => `${value.toFixed(1)} (${min.toFixed(1)})`.padEnd(18);
  const times = cell(row.coupled_ms, row.coupled_ms_min) + cell(row.copied_ms, row.copied_ms_min);
  console.log(`${row.case.padEnd(21)}${times}${row.ratio.toFixed(2)}`);
}
console.log(`the engine couples up to a product of ${COUPLED_PRODUCT_MAX.toLocaleString('en')}`);
if (values.json !== undefined) {
  writeFileSync(values.json, JSON.stringify({ machine, model: model.description.summary, cases }, null, 2));
}
context.close();
addon.closeModel(model.handle);
rmSync(folder, { recursive: true });
