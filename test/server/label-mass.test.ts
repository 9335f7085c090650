import { join } from 'node:path';
import { test } from 'tap';
import { NO_DIAGNOSTICS } from '../../src/decide/diagnostics.js';
import { planRequest } from '../../src/decide/index.js';
import { EXACT, openModel } from '../../src/engine/index.js';
import { read } from '../support/decide/bodies.js';
import { addon, answerAll, buildOf, openContext } from '../support/engine.js';
import { dataFolder, modelsFolder, startTestServer } from '../support/server.js';

const BODY = JSON.stringify({
  state: 'The parcel is late.',
  questions: {
    n: { type: 'noul', instructions: 'Is it late?' },
    c: { type: 'choice', instructions: 'Who answers?', criteria: ['billing', 'technical', 'sales'] },
    s: { type: 'score', criteria: ['later', 'now'] },
  },
});
/** Prompts that are computed together and alone differ by rounding, and an emitted mass has four digits. */
const TOLERANCE = 1e-3;

test('label_mass is Σ exp(logit) over the labels, divided by that over the vocabulary', async (t) => {
  const models = modelsFolder(dataFolder(t));
  const server = await startTestServer(t, { DECIDER_ENGINE_EXACT: 'true' }, models);
  const model = openModel(addon, '', buildOf(join(models, 'tiny.gguf')));
  const context = openContext(model);
  t.teardown(() => context.close());
  const vocabulary = Int32Array.from({ length: model.description.vocabularySize }, (_, token) => token);

  /** By prompt, from the logits of all tokens. */
  const massesOf = (optionRotations: number): number[] => {
    const { plan } = planRequest(read(BODY), model, undefined, { ...NO_DIAGNOSTICS, optionRotations });
    const whole = { ...plan, suffixes: plan.suffixes.map(({ tokens }) => ({ tokens, options: vocabulary })) };
    const [rows = []] = answerAll(context, [whole], EXACT);
    return plan.suffixes.map(({ options }, at) => {
      const weights = Array.from(rows[at] as Float32Array, Math.exp);
      const of = (tokens: Int32Array) =>
        [...tokens].reduce((sum, token) => sum + (weights[token] as number), 0);
      return of(options) / of(vocabulary);
    });
  };
  const ask = async (rotations: number): Promise<number[]> => {
    const headers = {
      ...server.headers,
      'service-label-mass': 'true',
      'service-option-rotations': `${rotations}`,
    };
    const response = await fetch(`${server.url}/v1/decide`, { method: 'POST', headers, body: BODY });
    const { answers } = (await response.json()) as { answers: Record<string, { label_mass: number }> };
    return ['n', 'c', 's'].map((name) => answers[name]?.label_mass ?? Number.NaN);
  };

  const close = (found: readonly number[], expected: readonly number[]) => {
    t.equal(found.length, expected.length);
    for (const [at, mass] of found.entries())
      t.ok(Math.abs(mass / (expected[at] as number) - 1) < TOLERANCE, `${mass} ${expected[at]}`);
  };
  close(await ask(1), massesOf(1));
  const [n = 0, c1 = 0, c2 = 0, c3 = 0, s = 0] = massesOf(3);
  t.not(c1.toPrecision(4), c2.toPrecision(4));
  close(await ask(3), [n, (c1 + c2 + c3) / 3, s]);
});
