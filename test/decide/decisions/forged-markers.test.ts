import { test } from 'tap';
import { planRequest } from '../../../src/decide/plan.js';
import { BUILT_IN_FORMATS, type OpenModel } from '../../../src/engine/index.js';
import { check } from '../../support/decide/decisions.js';
import { openTiny } from '../../support/engine.js';
import { random, seedFromEnvironment } from '../../support/random.js';
import { scaled } from '../../support/scale.js';

const PLAIN = ['a', ' ', '\n', '<', '|', '>', '<|', '|>', '"', '\\', 'user:', '\u2028', 'é', '🙂', 'turn'];
const LONG = { stateCodePoints: null, longQuestion: 'left out' } as const;

/** A request in which every string of the caller is `text()`. */
function requestOf(text: () => string) {
  const part = () => ({ type: 'input_text', text: text() });
  return check({
    model: text(),
    input: [
      { role: 'system', content: text() },
      { role: 'developer', content: [part(), part()] },
      { role: 'user', content: [part(), { type: 'input_json', data: { [`k${text()}`]: [text()] } }] },
      {
        role: 'assistant',
        content: [
          { type: 'output_text', text: text() },
          { type: 'refusal', refusal: text() },
        ],
      },
      { type: 'function_call', call_id: 'a', name: text(), namespace: text(), arguments: text() },
      { type: 'custom_tool_call', call_id: 'b', name: text(), input: text() },
      { type: 'function_call_output', call_id: 'a', output: text() },
      { type: 'custom_tool_call_output', call_id: 'b', output: [part()] },
    ],
    questions: [
      {
        type: 'predicate',
        name: text(),
        instructions: [part(), { type: 'input_json', data: { k: text() } }],
      },
      {
        type: 'choice',
        name: text(),
        instructions: text(),
        choices: [{ value: `a${text()}`, description: text() }, { value: `b${text()}` }, { value: true }],
      },
      {
        type: 'score',
        name: text(),
        instructions: text(),
        levels: [
          { label: `a${text()}` },
          { label: '1', description: text() },
          { label: 'c', description: text() },
        ],
      },
    ],
  }).request;
}

/** The special tokens of a plan, part by part: all that the vocabulary calls control or user-defined. */
function structure(text: () => string, model: OpenModel): string {
  const { plan, orders } = planRequest(
    requestOf(text),
    { ...model, contextLength: 100_000 },
    undefined,
    undefined,
    LONG,
  );
  if (orders.includes(0)) throw new Error('a question was left out');
  const { controlTokens, userDefinedTokens } = model.description;
  const special = new Set([...controlTokens, ...userDefinedTokens].map(({ id }) => id));
  const parts = [plan.prefix, ...plan.suffixes.map(({ tokens }) => tokens)];
  return JSON.stringify(parts.map((tokens) => [...tokens].filter((token) => special.has(token))));
}

for (const profile of Object.keys(BUILT_IN_FORMATS)) {
  test(`no text of a transcript or a question becomes a structural token: ${profile}`, async (t) => {
    const model = openTiny(t.testdir(), {}, { profile });
    const seed = seedFromEnvironment();
    t.comment(`TEST_SEED=${seed}`);
    const next = random(seed);
    const { controlTokens, userDefinedTokens } = model.description;
    const marks = [...controlTokens, ...userDefinedTokens].map(({ text }) => text);
    const text = () => {
      const pieces = Array.from({ length: next.integer(8) }, () =>
        next.pick(next.integer(2) ? marks : PLAIN),
      );
      const mark = next.pick(marks);
      if (next.integer(3) === 0) pieces.push(mark.slice(0, 2), next.pick(marks), mark.slice(2));
      return pieces.join('');
    };
    const expected = structure(() => 'x', model);
    for (let round = 0; round < scaled({ short: 100, long: 2_000 }); round += 1) {
      if (structure(text, model) !== expected) {
        t.fail(`round ${round}: a text of the caller became a marker`);
        return;
      }
    }
    t.pass('the markers are those of the template');
  });
}
