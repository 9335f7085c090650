// How far the probabilities of normal mode, in which concurrent requests share computation, differ from those of exact
// mode, in which each request runs alone: |Δp| over all options of all questions, by precision of the weights. The
// generated weights are random, so measure your own model.
//
//   npm run bench:exact                       a generated model of four layers in three precisions
//   npm run bench:exact -- --model FILE       a GGUF of your own
//   npm run bench:exact -- --minutes N        leaves precisions out that do not begin in this time
//   npm run bench:exact -- --json FILE        also write {machine, cases: [{case, neighbours, largest, mean, …}]}
import { COUPLED_PRODUCT_MAX, EXACT, loadAddon, type PlanLogits } from '../src/engine/index.js';
import { compare, type Difference } from '../src/tuning/index.js';
import { fewLayersModel } from './engine/models.js';
import { randomPlans } from './exact/plans.js';
import { CPU_BOUNDS, openInProcess } from './in-process.js';
import { benchOptions } from './options.js';
import { machine, Pace, table, writeJson } from './report.js';

const PRECISIONS = ['f32', 'f16', 'q8_0'] as const;
const NEIGHBOURS = [0, 7, 63];

interface Row extends Difference {
  readonly case: string;
  readonly neighbours: number;
}

const values = benchOptions({
  model: { type: 'string' },
});
const { addon } = loadAddon('cpu');
const files =
  values.model === undefined
    ? PRECISIONS.map((type) => [type, fewLayersModel(type, addon)] as const)
    : [[values.model, values.model] as const];
const pace = new Pace({ cases: files.length, minutes: values.minutes });
const rows = files.flatMap(([name, file]) => (pace.begins(name) ? measure(name, file) : []));
console.log(`${machine()}; 64 requests of 1 to 3 questions; normal against exact mode`);
console.log(
  table(
    ['weights', 'neighbours', 'questions', 'largest |Δp|', 'mean |Δp|', 'other answers'],
    rows.map((row) => [
      row.case,
      String(row.neighbours),
      String(row.questions),
      row.largest.toExponential(1),
      row.mean.toExponential(1),
      `${((row.changed / row.questions) * 100).toFixed(1)} %`,
    ]),
  ),
);
writeJson(values.json, { machine: machine(), cases: rows });

function measure(name: string, file: string): Row[] {
  const engine = openInProcess(file, {}, CPU_BOUNDS);
  const normal = {
    head: engine.head,
    idleCellsMax: 4_096,
    exact: false,
    coupledProductMax: COUPLED_PRODUCT_MAX,
  };
  const plans = randomPlans(engine.head, engine.labels);
  pace.step('exact mode');
  const alone = engine.answer(plans, engine.newState(EXACT));
  const rows = NEIGHBOURS.map((neighbours) => {
    pace.step(`normal mode, ${neighbours} neighbours`);
    const state = engine.newState(normal);
    const packed: PlanLogits[] = [];
    for (let start = 0; start < plans.length; start += neighbours + 1) {
      packed.push(...engine.answer(plans.slice(start, start + neighbours + 1), state));
    }
    return { case: name, neighbours, ...compare(alone.flat(), packed.flat()) };
  });
  engine.close();
  return rows;
}
