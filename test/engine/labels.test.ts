import { test } from 'tap';
import type { TinyModelOptions } from '../../models/tiny/index.js';
import { LABELS_MAX, LETTERS, type OpenModel, openModel, type Plan } from '../../src/engine/index.js';
import { SKELETON_PARTS_MAX, SkeletonCache } from '../../src/engine/profile/skeleton-cache.js';
import { addon, answerAll, COLD, openContext, openTiny, planOf, softmaxOf } from '../support/engine.js';

const PAIRS = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
/** The pairs that every tiny model has. */
const TINY_PAIRS = PAIRS.slice(0, 4 * LETTERS.length);
const ALL_LETTERS = LETTERS.join('');

/** A tiny model with a decision template of its own. */
function withTemplate(template: string, vocabulary: TinyModelOptions['vocabulary'] = {}): TinyModelOptions {
  const text = (value: string) => ({ type: 'string' as const, value });
  const metadata = {
    'gemma4.decision.type': text('nimble'),
    'tokenizer.chat_template.systemone': text(template),
  };
  return { metadata, vocabulary };
}

const options = (body: string) =>
  `{% for o in options %}${body}{{ o.key }} {{ o.description }}\n{% endfor %}`;
const usual = (body: string, end = '|') => `<bos>{{ state }}|{{ instructions }}|${options(body)}${end}`;

const textsOf = ({ profile }: OpenModel) => profile.labelSet.list.map(({ text }) => text);

for (const profile of ['letters', 'mapika', 'winnow']) {
  test(`${profile}: A to Z, then the pairs that the vocabulary has, each with a token of its own`, (t) => {
    const model = openTiny(t.testdir(), {}, { profile });
    t.strictSame(textsOf(model), [...LETTERS, ...TINY_PAIRS]);
    t.equal(model.profile.labelSet.lettersOnly, null);
    const { labels } = model.profile;
    t.equal(new Set(labels).size, labels.length);
    t.strictSame(
      [...labels].map((token) => model.tokenizer.piece(token).toString()),
      textsOf(model),
    );
    t.end();
  });
}

test('there are at most 255 labels: with one pair less than that, and with one more', (t) => {
  const room = LABELS_MAX - LETTERS.length;
  for (const [pairs, labels] of [
    [room - 1, LABELS_MAX - 1],
    [room, LABELS_MAX],
    [room + 1, LABELS_MAX],
    [PAIRS.length, LABELS_MAX],
  ] as const) {
    const model = openTiny(t.testdir(), { vocabulary: { also: PAIRS.slice(0, pairs) } });
    t.strictSame(textsOf(model), [...LETTERS, ...PAIRS.slice(0, pairs)].slice(0, labels));
  }
  t.end();
});

test('a pair that is no single token is left out, and the others move up', (t) => {
  const model = openTiny(t.testdir(), { vocabulary: { without: ['AB', 'CZ'] } });
  t.strictSame(textsOf(model), [...LETTERS, ...TINY_PAIRS.filter((pair) => !['AB', 'CZ'].includes(pair))]);
  t.end();
});

test('a pair that merges with what stands before it is left out', (t) => {
  const model = openTiny(t.testdir(), withTemplate(usual('{{ o.label }}. ', '('), { also: ['AB', '(AB'] }));
  t.strictSame(textsOf(model), [...LETTERS, ...TINY_PAIRS.filter((pair) => pair !== 'AB')]);
  t.end();
});

for (const [name, model, reason] of [
  [
    'the vocabulary has no pairs',
    { vocabulary: { without: TINY_PAIRS } },
    /^its vocabulary has no pairs of letters as single tokens at the answer position$/,
  ],
  [
    'the template has letters of its own',
    withTemplate(usual(`{{ "${ALL_LETTERS}"[loop.index0] }}. `)),
    /does not render the label of every option$/,
  ],
  [
    'the template changes labels',
    withTemplate(usual('{{ o.label | lower }}. ')),
    /does not render the label of every option$/,
  ],
  [
    'the template leaves options out',
    withTemplate(
      usual('{% if loop.index0 < 26 %}{{ o.label }}. ').replace('\n{% endfor', '{% endif %}\n{% endfor'),
    ),
    /does not render the (label|description) 26$/,
  ],
  [
    'the template ends otherwise',
    withTemplate(usual('{{ o.label }}. ', '{{ "A" if options | length > 26 else "|" }}')),
    /ends otherwise/,
  ],
  [
    'the template raises an error',
    withTemplate(
      usual('{{ o.label }}{% if loop.index0 > 25 %}{{ raise_exception("too many") }}{% endif %}. '),
    ),
    /does not render: .*too many/,
  ],
] as const) {
  test(`${name}: A to Z remain, with the reason`, (t) => {
    const { profile } = openTiny(t.testdir(), model as TinyModelOptions);
    t.strictSame(
      profile.labelSet.list.map(({ text }) => text),
      LETTERS,
    );
    t.match(profile.labelSet.lettersOnly, reason);
    t.equal(profile.labels.length, LETTERS.length);
    t.end();
  });
}

test('a template that takes too long for many options leaves A to Z, which is marked', (t) => {
  const endless = '{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}';
  const slow = `{% if loop.index0 > 25 %}${endless}{% endif %}{{ o.label }}. `;
  const { profile } = openTiny(t.testdir(), withTemplate(usual(slow)));
  t.match(profile.labelSet, { list: { length: 26 }, lettersOnly: /takes more than 2000 ms$/, isSlow: true });
  t.end();
});

test('a template cannot give a reason of any length', (t) => {
  const long = 'x'.repeat(2_000_000);
  const raise = `{% if loop.index0 > 25 %}{{ raise_exception("${long}") }}{% endif %}{{ o.label }}. `;
  const { profile } = openTiny(t.testdir(), withTemplate(usual(raise)));
  t.equal(profile.labelSet.lettersOnly?.length, 1_000);
  t.end();
});

test('labels that are known are not searched for, and questions show them', (t) => {
  const { build } = openTiny(t.testdir());
  const labels = { list: [...'XYZ'].map((text, token) => ({ text, token })), lettersOnly: 'no reason' };
  const { profile } = openModel(addon, '', build, { verified: { labels, rendered: null } });
  t.strictSame(profile.labelSet, labels);
  t.strictSame(profile.labels, Int32Array.of(0, 1, 2));
  const described = [false, false, false];
  const { suffix } = profile.skeleton({
    type: 'choice',
    stateIsText: true,
    hasInstructions: true,
    described,
  });
  const text = suffix.map((part) => (part.kind === 'slot' ? '…' : part.text)).join('');
  t.match(text, /\nX\. …\nY\. …\nZ\. …\n/);
  t.end();
});

test('255 options: every logit is that of its label, and the probabilities sum to 1', (t) => {
  const model = openTiny(t.testdir(), { vocabulary: { also: PAIRS } });
  const { labels } = model.profile;
  t.equal(labels.length, LABELS_MAX);
  const tokens = model.tokenizer.plain('Which of them? AA. x\nAB. y\n');
  const plan = (asked: Int32Array): Plan =>
    planOf(model.tokenizer.plain('State:\n'), [{ tokens, options: asked }]);
  const context = openContext(model);
  const logits = (asked: Int32Array) => answerAll(context, [plan(asked)], COLD)[0]?.[0] as Float32Array;
  const together = logits(labels);
  const all = logits(Int32Array.from({ length: model.description.vocabularySize }, (_, token) => token));
  t.strictSame(
    [...together],
    textsOf(model).map((text) => {
      const [token] = model.tokenizer.plain(text) as unknown as [number];
      return all[token];
    }),
  );
  t.ok(Math.abs(softmaxOf(together).reduce((sum, p) => sum + p, 0) - 1) < 1e-12);
  context.close();
  t.end();
});

test('skeletons are kept up to the limit of their parts; one part more, and the oldest makes room', (t) => {
  const skeleton = (parts: number) => ({
    prefix: [],
    suffix: Array(parts).fill({ kind: 'text', text: 'x' }),
    labels: [],
  });
  const cache = new SkeletonCache();
  cache.add('first', skeleton(1));
  cache.add('second', skeleton(SKELETON_PARTS_MAX - 1));
  t.ok(cache.get('first'));
  t.equal(cache.parts, SKELETON_PARTS_MAX);
  cache.add('third', skeleton(1));
  t.equal(cache.get('first'), undefined);
  t.ok(cache.get('second'));
  t.equal(cache.parts, SKELETON_PARTS_MAX);
  cache.add('large', skeleton(SKELETON_PARTS_MAX + 1));
  t.equal(cache.get('large'), undefined);
  t.equal(cache.parts, 0);
  t.end();
});
