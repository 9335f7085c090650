import type { Test } from 'tap';
import type { DecideRequest, Question } from '../../../src/decide/index.js';
import { planRequest } from '../../../src/decide/plan.js';
import type { OpenModel } from '../../../src/engine/index.js';
import { random, seedFromEnvironment } from '../random.js';

const PLAIN = ['a', ' ', '\n', '<', '|', '>', '<|', '|>', '"', '\\', '\u0001', '\\u0001', 'é', '🙂', 'turn'];

/** A request of every type of question, with a text in every place where a caller can write one. */
export function requestOf(text: () => string): DecideRequest {
  const question = (name: string, type: Question['type'], keys: string[]): Question => ({
    name,
    type,
    instructions: text(),
    options: keys.map((key) => ({ key, name: key, description: text() })),
  });
  return {
    model: null,
    state: { kind: 'text', value: text() },
    questions: [
      question(text(), 'noul', ['true', 'false']),
      question(text(), 'choice', [`a${text()}`, `b${text()}`]),
      question(text(), 'score', ['0', '1', '2']),
    ],
    imageBudget: 280,
    assets: [],
  };
}

type Specials = OpenModel['description']['controlTokens'];

/** All tokens that the vocabulary calls control or user-defined, whatever the tokenizer under test thinks of them. */
export const specialsOf = ({ description: { controlTokens, userDefinedTokens } }: OpenModel): Specials => [
  ...controlTokens,
  ...userDefinedTokens,
];

/** The special tokens in a plan, part by part. */
export function structure(
  request: DecideRequest,
  model: OpenModel,
  specials = specialsOf(model),
): number[][] {
  const { plan } = planRequest(request, model);
  const special = new Set(specials.map(({ id }) => id));
  return [plan.prefix, ...plan.suffixes.map((suffix) => suffix.tokens)].map((tokens) =>
    [...tokens].filter((token) => special.has(token)),
  );
}

/** Random texts in every place of a request lead to no special token. */
export function property(t: Test, model: OpenModel, rounds: number, specials = specialsOf(model)): void {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const expected = structure(
    requestOf(() => 'x'),
    model,
    specials,
  );
  t.ok(
    expected.every((part) => part.length > 0),
    'the template writes markers of its own',
  );
  const marks = specials.map(({ text }) => text);
  const text = () => {
    const pieces = Array.from({ length: next.integer(12) }, () => next.pick(next.integer(2) ? marks : PLAIN));
    // A marker cut by another, so that taking one away would leave one.
    const mark = next.pick(marks);
    if (next.integer(3) === 0) pieces.push(mark.slice(0, 2), next.pick(marks), mark.slice(2));
    return pieces.join('');
  };
  for (let round = 0; round < rounds; round++) {
    const found = structure(requestOf(text), model, specials);
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      t.fail(`round ${round}: a text of the caller became a marker`);
      return;
    }
  }
  t.pass(`${rounds} requests`);
}
