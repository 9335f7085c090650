import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test, test } from 'tap';
import { tinyModel, tinyVocabulary } from '../../models/tiny/index.js';
import { type DecideRequest, planRequest, type Question } from '../../src/decide/index.js';
import { verifiedJoiners } from '../../src/engine/check/verified-joiners.js';
import { type OpenModel, openModel, spaceJoiners, TokenCache } from '../../src/engine/index.js';
import { CACHED_UNITS_MAX } from '../../src/engine/profile/token-cache.js';
import { entryBytes } from '../../src/engine/profile/token-store.js';
import { wordsOf } from '../../src/engine/profile/words.js';
import { addon, buildOf, openTiny } from '../support/engine.js';
import { NEEDS_GEMMA3, openGemma3 } from '../support/gemma3/gemma3.js';
import { type Random, random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { ROOT } from '../support/sources.js';

const ROUNDS = scaled({ short: 150, long: 3_000 });
const NANO = join(ROOT, 'models/nano/decider-g-nano-20261129.gguf');
/** Small, so that entries are evicted all the time. */
const BYTES = 24_000;

const PIECES = [
  ...['refund', 'The', 'order', ' was', ' late', 'x', 'é', '日本語', '🙂', '4471', '#', '(A)', 'B.', '</s>'],
  ...[
    ' ',
    '  ',
    '\n',
    '\n\n',
    '\n  ',
    '\t',
    ' \n',
    '\u2581',
    '\u2581 ',
    ' \u2581',
    '> </',
    '> ',
    '>',
    ' </',
    '<',
  ],
  ...['<|turn>', '<|channel>', '<bos>', '"quoted"', '{"a": 1}', '\ud83d', '\u0000', '- ', '…'],
];

const textOf = (next: Random, most: number) =>
  Array.from({ length: next.integer(most) }, () => next.pick(PIECES)).join(next.pick(['', '', ' ']));

/** Few different questions, so that some are asked again. */
function requestOf(next: Random, questions: readonly Question[]): DecideRequest {
  const asked = Array.from({ length: 1 + next.integer(3) }, (_, at) => ({
    ...next.pick(questions),
    name: `q${at}`,
  }));
  return {
    model: null,
    state: { kind: 'text', value: textOf(next, 60) },
    questions: asked,
    imageBudget: 280,
    assets: [],
  };
}

function questionsOf(next: Random): Question[] {
  return Array.from({ length: 12 }, (): Question => {
    const type = next.pick(['noul', 'choice', 'score'] as const);
    const count = type === 'noul' ? 2 : 2 + next.integer(6);
    const keys = Array.from({ length: count }, (_, at) =>
      type === 'noul' ? String(at === 0) : type === 'choice' ? `${at}${textOf(next, 4)}` : String(at),
    );
    const described = next.integer(2) === 0;
    return {
      name: 'q',
      type,
      instructions: next.integer(3) === 0 ? null : textOf(next, 20),
      options: keys.map((key) => ({ key, name: key, description: described ? textOf(next, 10) : null })),
    };
  });
}

/** Random requests have the tokens that they have without the cache, in several scopes of one cache. */
function property(t: Test, model: OpenModel, joiners: string | null): void {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const questions = questionsOf(next);
  const cache = new TokenCache(BYTES);
  for (let round = 0; round < ROUNDS; round++) {
    const request = requestOf(next, questions);
    const optionRotations = 1 + next.integer(3);
    const diagnostics = { optionRotations, labelMass: next.integer(2) === 0 };
    const tokenizer = cache.tokenizer(next.pick(['a', 'b']), model.tokenizer, joiners);
    const plain = planRequest(request, model, undefined, diagnostics);
    const cached = planRequest(request, { ...model, tokenizer }, undefined, diagnostics);
    if (JSON.stringify(tokensOf(plain.plan)) !== JSON.stringify(tokensOf(cached.plan)))
      return void t.fail(`round ${round}: ${JSON.stringify(request)}`);
    if (cache.bytes > BYTES) return void t.fail(`${cache.bytes} bytes`);
  }
  t.ok(cache.hits > ROUNDS / 4 && cache.misses > ROUNDS, `${cache.hits} hits, ${cache.misses} misses`);
}

const tokensOf = ({ prefix, suffixes }: ReturnType<typeof planRequest>['plan']) => ({
  prefix: [...prefix],
  suffixes: suffixes.map(({ tokens, options }) => [[...tokens], [...options]]),
});

for (const profile of ['letters', 'mapika', 'winnow'])
  test(`the cache changes no token: ${profile}`, (t) => {
    const model = openTiny(t.testdir(), {}, { profile });
    t.equal(verifiedJoiners(model), '', 'its vocabulary joins nothing to a space');
    property(t, model, '');
    property(t, model, null);
    t.end();
  });

test('the cache changes no token: the embedded model', (t) => {
  const model = openModel(addon, '', buildOf(NANO));
  property(t, model, verifiedJoiners(model));
  t.end();
});

const folder = mkdtempSync(join(tmpdir(), 'decider-cache-'));
t.teardown(() => rmSync(folder, { recursive: true }));

test('the cache changes no token: the vocabulary of Gemma 3', NEEDS_GEMMA3, (t) => {
  const model = openGemma3(folder);
  const joiners = verifiedJoiners(model);
  t.equal(joiners, '>', 'one token holds a space and the character before it: > </');
  property(t, model, joiners);
  t.end();
});

test('texts and words that were seen are not tokenized again', (t) => {
  const { tokenizer } = openTiny(t.testdir(), {}, { profile: 'letters' });
  const cache = new TokenCache();
  const asked: string[] = [];
  const whole = tokenizer.whole.bind(tokenizer);
  tokenizer.whole = (text) => {
    asked.push(text);
    return whole(text);
  };
  const cached = cache.tokenizer('a', tokenizer, '');
  cached.plain('the order was late');
  cached.plain('the order was late');
  cached.plain('the order was the problem, was it');
  t.strictSame(asked, ['the order was late', ' the problem,', ' it']);
  t.match(cache, { hits: 1, misses: 2 });
  cache.tokenizer('b', tokenizer, '').plain('the order was late');
  t.equal(asked.at(-1), 'the order was late', 'another scope shares nothing');
  const none = new TokenCache(0).tokenizer('a', tokenizer, '');
  none.plain('late');
  none.plain('late');
  t.strictSame(asked.slice(-2), ['late', 'late'], 'a cache of 0 bytes stores nothing');
  t.end();
});

test('the limits of the cache and of a text, and one past them', (t) => {
  const { tokenizer } = openTiny(t.testdir(), {}, { profile: 'letters' });
  const [first, second] = ['aaaa', 'bbbb'] as const;
  const bytes = [first, second].reduce(
    (sum, text) => sum + entryBytes(`s ${text}`, tokenizer.plain(text)),
    0,
  );
  const misses = (limit: number) => {
    // Half of it is for texts; without joiners nothing else is stored.
    const cache = new TokenCache(limit * 2);
    const { plain } = cache.tokenizer('s', tokenizer, null);
    for (const text of [first, second, first]) plain(text);
    return cache.misses;
  };
  t.equal(misses(bytes), 2);
  t.equal(misses(bytes - 1), 3, 'the first made room for the second');
  const cache = new TokenCache();
  const { plain } = cache.tokenizer('s', tokenizer, null);
  for (const units of [CACHED_UNITS_MAX, CACHED_UNITS_MAX + 1]) {
    const before = cache.bytes;
    const text = 'a '.repeat(units).slice(0, units);
    t.strictSame(plain(text), tokenizer.plain(text));
    t.equal(cache.bytes > before, units === CACHED_UNITS_MAX);
  }
  t.end();
});

test('words are cut where no merge joins', (t) => {
  t.strictSame(wordsOf('a bc  d\n e', ''), ['a', ' bc', '  d\n', ' e']);
  t.strictSame(wordsOf('a> b c', '>'), ['a> b', ' c']);
  t.strictSame(wordsOf('\u2581 a  ', ''), ['\u2581 a', '  ']);
  t.strictSame(wordsOf('', ''), ['']);
  t.end();
});

test('joiners are read from the merges', (t) => {
  const own = t.testdir();
  const { merges, ...rest } = tinyVocabulary();
  const joinersOf = (more: readonly string[], metadata = {}) => {
    const path = join(own, 'm.gguf');
    writeFileSync(path, tinyModel({ vocabulary: { ...rest, merges: [...merges, ...more] }, metadata }));
    return spaceJoiners(path);
  };
  t.equal(joinersOf([]), '');
  t.equal(joinersOf(['a> \u2581b', 'é \u2581', 'a \u2581', '\u2581 \u2581a', 'b a\u2581']), '>éa');
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => `${String.fromCharCode(0x100 + at)} \u2581`);
  t.equal(joinersOf(many(64))?.length, 64);
  t.equal(joinersOf(many(65)), null, 'too many');
  const text = (value: string) => ({ type: 'string' as const, value });
  t.equal(joinersOf([], { 'tokenizer.ggml.model': text('gpt2') }), null, 'other rules cut its texts');
  writeFileSync(join(own, 'm.gguf'), 'GGUF');
  t.equal(spaceJoiners(join(own, 'm.gguf')), null);
  t.end();
});
