import { test } from 'tap';
import { ApiError, LIMITS } from '../../../src/api/index.js';
import type { Asset, DecideRequest, JsonNode, Question } from '../../../src/decide/decide-types.js';
import { shownParts } from '../../../src/decide/plan.js';
import { findImageUses } from '../../../src/decide/references/find-uses.js';
import { readOrdered } from '../../../src/decide/request/ordered-json.js';
import { stateText } from '../../../src/decide/request/state-text.js';
import { randomJson } from '../../support/decide/json.js';
import { naiveFind } from '../../support/decide/naive-search.js';
import { random, seedFromEnvironment } from '../../support/random.js';

const LIMIT = LIMITS.stateCodePoints;

const assetsOf = (references: readonly string[]): Asset[] =>
  references.map((reference) => ({ reference, format: 'png', source: { of: 'base64', text: '' } }));
const questionOf = (over: Partial<Question> = {}): Question => ({
  name: 'q',
  type: 'noul',
  instructions: null,
  options: [],
  ...over,
});
const text = (value: string): JsonNode => ({ kind: 'text', value });

function usesOf(state: JsonNode, references: string[], questions: Question[] = [questionOf()]) {
  return findImageUses({ state, questions, assets: assetsOf(references) });
}

/** The state as the model reads it, each image as its number between marks. */
function shown(state: JsonNode, references: string[], questions?: Question[]): string {
  const uses = usesOf(state, references, questions);
  return shownParts(stateText(state, LIMIT), uses.state)
    .map((part) => (typeof part === 'string' ? part : `<<${part.image}>>`))
    .join('');
}

/** The type of the error that a request is refused with; '' where it is not. */
function refusal(of: () => unknown): string {
  try {
    of();
    return '';
  } catch (error) {
    if (error instanceof ApiError) return error.type;
    throw error;
  }
}

test('a text state: the reference is replaced, the rest stays', async (t) => {
  t.equal(shown(text('see img1, img1 and img'), ['img', 'img1']), 'see <<1>>, <<1>> and <<0>>');
  t.equal(shown(text('img'), ['img']), '<<0>>');
});

test('a JSON state: text values in document order, before escaping, never keys', async (t) => {
  const state = readOrdered(
    String.raw`{"pic":{"pic":"a \"pic\"\n"},"10":["x",{"z":"\u0070ic\n\"é"}],"2":1.0,"z":"é"}`,
  );
  t.equal(
    shown(state, ['pic', '\n"é']),
    String.raw`{
  "pic": {
    "pic": "a \"<<0>>\"\n"
  },
  "10": [
    "x",
    {
      "z": "<<0>><<1>>"
    }
  ],
  "2": 1.0,
  "z": "é"
}`,
  );
});

test('numbers, literals and what joins values are not searched', async (t) => {
  const state = readOrdered('{"a":123,"b":true,"c":null,"d":"x"}');
  for (const reference of ['12', 'true', 'null', '": ', '\n  "', 'a']) {
    t.equal(
      refusal(() => usesOf(state, ['x', reference])),
      'unreferenced_asset',
      reference,
    );
  }
});

test('a reference does not reach from one text into the next', async (t) => {
  t.equal(
    refusal(() => usesOf(readOrdered('["im","g"]'), ['img'])),
    'unreferenced_asset',
  );
});

test('as a naive search of every text value, over random JSON', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const references = ['a', 'é', '漢a', '"', '\\', '\n', '😀', 'aa', '/'];
  // Every reference is used in a question too, so that none is unreferenced.
  const all = references.map((reference) => questionOf({ instructions: reference }));
  let used = 0;
  for (let round = 0; round < 3_000; round += 1) {
    const state = readOrdered(randomJson(next, 3));
    let count = 0;
    const naive = (node: JsonNode): JsonNode => {
      if (node.kind === 'array') return { kind: 'array', items: node.items.map(naive) };
      if (node.kind === 'object')
        return { kind: 'object', entries: node.entries.map(([k, v]) => [k, naive(v)]) };
      if (node.kind === 'literal') return node;
      const found = naiveFind(node.value, references);
      count += found.length;
      const parts = shownParts(
        node.value,
        found.map(({ start, end, reference }) => ({ start, end, asset: reference })),
      );
      return text(parts.map((part) => (typeof part === 'string' ? part : `<<${part.image}>>`)).join(''));
    };
    const expected = stateText(naive(state), LIMIT);
    if (count === 0 || count >= LIMITS.imagesPerQuestion) continue;
    used += 1;
    const found = shown(state, references, all);
    if (found !== expected) return t.equal(found, expected, `round ${round}`);
  }
  t.ok(used > 100, `${used} states with references`);
});

test('4.3 rule 6, a text state: a reference within the first 20,000 characters, one past, and across', async (t) => {
  const at = (before: number) => refusal(() => usesOf(text(`${'🙂'.repeat(before)}img and more`), ['img']));
  t.equal(at(LIMIT - 3), '');
  t.equal(at(LIMIT - 2), 'image_reference_truncated');
  t.equal(at(LIMIT), 'image_reference_truncated');
  t.equal(at(LIMIT * 3), 'image_reference_truncated');
});

test('4.3 rule 6, a JSON state: counted on its indented text as sent', async (t) => {
  // {\n  "k": "…img"\n}: 10 characters before the text, and an escape is as many characters as are written.
  const at = (value: string) =>
    refusal(() => usesOf({ kind: 'object', entries: [['k', text(`${value}img"`)]] }, ['img"']));
  const room = LIMIT - 10 - 'img\\"'.length;
  t.equal(at('x'.repeat(room)), '');
  t.equal(at('x'.repeat(room + 1)), 'image_reference_truncated');
  t.equal(at(`${'x'.repeat(room - 2)}\n`), '');
  t.equal(at(`${'x'.repeat(room - 1)}\n`), 'image_reference_truncated');
  t.equal(at(`${'🙂'.repeat(room)}`), '');
});

test('4.3 rule 6: a text value that is not read at all is searched too', async (t) => {
  const state: JsonNode = {
    kind: 'array',
    items: [text('img'), text('x'.repeat(LIMIT)), text('y'), text('img')],
  };
  t.equal(
    refusal(() => usesOf(state, ['img'])),
    'image_reference_truncated',
  );
});

test('4.3 rule 6: positions are those before images replace anything', async (t) => {
  const long = 'r'.repeat(1_000);
  const state = text(`${long}${long}${'x'.repeat(LIMIT - 2_003)}img`);
  t.equal(
    refusal(() => usesOf(state, [long, 'img'])),
    '',
  );
  t.equal(
    refusal(() => usesOf(text(`x${(state as { value: string }).value}`), [long, 'img'])),
    'image_reference_truncated',
  );
});

test('8 images in one question, those of the state among them; 9 are too many', async (t) => {
  const own = (count: number) => questionOf({ instructions: 'img'.repeat(count) });
  const ask = (inState: number, ...inQuestions: number[]) =>
    refusal(() => usesOf(text(`s ${'img '.repeat(inState)}`), ['img'], inQuestions.map(own)));
  t.equal(ask(8, 0), '');
  t.equal(ask(9, 0), 'too_many_images');
  t.equal(ask(3, 5), '');
  t.equal(ask(3, 6), 'too_many_images');
  t.equal(ask(0, 8, 8, 8), '', 'each question for itself');
  t.equal(ask(0, 8, 9), 'too_many_images');
});

test('instructions and descriptions are searched, names and labels are not', async (t) => {
  const option = (key: string, description: string | null) => ({ key, name: key, description });
  const question = questionOf({
    name: 'img',
    type: 'choice',
    instructions: 'is img',
    options: [option('img', 'an img, img'), option('b', null)],
  });
  const uses = usesOf(text(''), ['img'], [question]);
  t.strictSame(uses.questions, [
    {
      instructions: [{ start: 3, end: 6, asset: 0 }],
      descriptions: [
        [
          { start: 3, end: 6, asset: 0 },
          { start: 8, end: 11, asset: 0 },
        ],
        [],
      ],
    },
  ]);
  const unseen = questionOf({ name: 'img', options: [option('img', null)] });
  t.equal(
    refusal(() => usesOf(text(''), ['img'], [unseen])),
    'unreferenced_asset',
  );
});

test('4.3 rule 7: an asset that only stands inside a longer reference is shown nowhere', async (t) => {
  t.equal(
    refusal(() => usesOf(text('img1'), ['img', 'img1'])),
    'unreferenced_asset',
  );
});

test('without assets nothing is searched', async (t) => {
  const request: DecideRequest = {
    model: null,
    state: text('x'),
    questions: [questionOf(), questionOf()],
    imageBudget: 280,
    assets: [],
  };
  const uses = findImageUses(request);
  t.strictSame(uses.state, []);
  t.equal(uses.questions.length, 2);
});
