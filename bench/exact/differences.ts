import { COUPLED_PRODUCT_MAX, EXACT, loadAddon, type PlanLogits } from '../../src/engine/index.js';
import { compare, type Difference } from '../../src/tuning/index.js';
import { fewLayersModel } from '../engine/models.js';
import { CPU_BOUNDS, openInProcess } from '../in-process.js';
import { table } from '../report.js';
import type { Measured, PartOptions } from './part.js';
import { randomPlans } from './plans.js';

export const PRECISIONS = ['f32', 'f16', 'q8_0'] as const;
const NEIGHBOURS = [0, 7, 63];

interface Row extends Difference {
  readonly case: string;
  readonly neighbours: number;
}

/** Normal mode against exact mode. */
export async function measureDifferences({ model, requests, pace }: PartOptions): Promise<Measured> {
  const { addon } = loadAddon('cpu');
  const files =
    model === undefined
      ? PRECISIONS.map((type) => [type, fewLayersModel(type, addon)] as const)
      : [[model, model] as const];
  const rows = files.flatMap(([name, file]) =>
    pace.begins(name) ? measure(name, file, requests, (step) => pace.step(step)) : [],
  );
  const shown = rows.map((row) => [
    row.case,
    String(row.neighbours),
    String(row.questions),
    row.largest.toExponential(1),
    row.mean.toExponential(1),
    `${((row.changed / row.questions) * 100).toFixed(1)} %`,
  ]);
  return {
    title: `${requests} requests of 1 to 3 questions; normal against exact mode`,
    shown: table(['weights', 'neighbours', 'questions', 'largest |Δp|', 'mean |Δp|', 'other answers'], shown),
    cases: rows,
  };
}

function measure(name: string, file: string, requests: number, tell: (step: string) => void): Row[] {
  const engine = openInProcess(file, {}, CPU_BOUNDS);
  const normal = {
    head: engine.head,
    idleCellsMax: 4_096,
    exact: false,
    coupledProductMax: COUPLED_PRODUCT_MAX,
  };
  const plans = randomPlans(engine.head, engine.labels, requests);
  tell('exact mode');
  const alone = engine.answer(plans, engine.newState(EXACT));
  const rows = NEIGHBOURS.map((neighbours) => {
    tell(`normal mode, ${neighbours} neighbours`);
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
