import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { planRequest } from '../../src/decide/index.js';
import { COUPLED_PRODUCT_MAX, ContextState, EXACT, openModel, type Plan } from '../../src/engine/index.js';
import { NOUL } from '../support/decide/questions.js';
import { addon, answerAll, BOUNDS, buildOf, openContext, planDistance } from '../support/engine.js';
import { hybridModel } from '../support/hybrid-model.js';

// Models of Qwen3.5 and Qwen3.8 have recurrent layers: their state of a sequence cannot be cut, only copied.

/** Of probabilities. Questions after a shared state and full prompts are computed in other chunks. */
const DISTANCE_MAX = 0.005;
const LONG = 'the order was late and the customer wants a refund now '.repeat(45);

/** The questions of a plan, each with its state as one sequence that shares nothing. */
const whole = ({ prefix, suffixes }: Plan): Plan[] =>
  suffixes.map(({ tokens, options }, at) => ({
    prefix: prefix.slice(0, 1),
    prefixKey: `whole ${at}`,
    suffixes: [{ tokens: Int32Array.from([...prefix.slice(1), ...tokens]), options }],
    images: [],
  }));

test('a model with recurrent layers answers after a shared state as after the whole prompt', (t) => {
  const path = join(t.testdir({}), 'hybrid.gguf');
  writeFileSync(path, hybridModel());
  const model = openModel(addon, '', buildOf(path));
  const planOf = (count: number, state: string): Plan => {
    const questions = Array.from({ length: count }, (_, at) => ({
      ...NOUL,
      name: `q${at}`,
      instructions: `Is it ${at}?`,
    }));
    const asked = {
      model: null,
      state: { kind: 'text', value: state },
      imageBudget: 280,
      assets: [],
    } as const;
    return planRequest({ ...asked, questions }, model).plan;
  };
  const context = openContext(model);
  const head = model.profile.head();
  const usual = { head, idleCellsMax: 4_096, exact: false };
  const forms = {
    coupled: { ...usual, coupledProductMax: COUPLED_PRODUCT_MAX },
    copied: { ...usual, coupledProductMax: 0 },
    exact: EXACT,
  };
  const requests = [
    [planOf(1, 'Late.')],
    [planOf(2, 'The order.'), planOf(3, 'Another state.'), planOf(1, 'x')],
    [planOf(4, LONG)],
    [planOf(2, 'The order.')],
  ];
  const expected = requests.map((plans) =>
    plans.map((plan) => whole(plan).map((each) => answerAll(context, [each], EXACT)[0]?.[0] as Float32Array)),
  );
  for (const [form, sharing] of Object.entries(forms)) {
    context.clear();
    const state = new ContextState(BOUNDS, sharing);
    // Twice, so that prefixes come from the cache.
    for (const [at, plans] of [...requests.entries(), ...requests.entries()]) {
      const found = answerAll(context, plans, sharing, BOUNDS, state);
      const distances = found.map((logits, plan) => planDistance(logits, expected[at]?.[plan] ?? []));
      t.ok(Math.max(...distances) < DISTANCE_MAX, `${form}, request ${at}: ${Math.max(...distances)}`);
    }
  }
  context.close();
  t.end();
});
