import { test } from 'tap';
import { AnswerCache } from '../../src/engine/answers/answer-cache.js';
import { answerKey } from '../../src/engine/answers/answer-key.js';
import { LABEL_MASS, type Plan, type PlanLogits } from '../../src/engine/index.js';
import { planOf } from '../support/engine.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';

const STEPS = scaled({ short: 20_000, long: 100_000 });
/** See `ENTRY_BYTES`. */
const ENTRY_BYTES = 512;

const tokens = (...values: number[]) => Int32Array.of(...values);
const imageOf = (key: string) => ({ width: 1, height: 1, rgb: new Uint8Array(3), key });
/** What `get` needs of a plan whose suffixes have so many options. */
const optionsOf = (...counts: number[]) => ({
  suffixes: counts.map((count) => ({ tokens: tokens(1), options: new Int32Array(count) })),
});

test('random operations behave as in a simple model', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  let evicted = 0;
  const cache = new AnswerCache(() => {
    evicted += 1;
  });
  // The least recently used comes first.
  let model: Array<{ key: string; logits: number[][]; bytes: number }> = [];
  let gone = 0;
  const shrink = (most: number) => {
    const size = () => model.reduce((sum, { bytes }) => sum + bytes, 0);
    while (size() > most && model.length > 0) {
      model.shift();
      gone += 1;
    }
  };
  let bytesMax = 12_000;
  for (let step = 0; step < STEPS; step++) {
    const key = String.fromCharCode(43 + next.integer(80)).repeat(2);
    const known = model.find((entry) => entry.key === key);
    const action = next.integer(20);
    if (action === 0) {
      bytesMax = next.integer(4) * 6_000;
      cache.shrink(bytesMax);
      shrink(bytesMax);
    } else if (action < 11) {
      const found = cache.get(key, optionsOf(...(known?.logits ?? [[0]]).map(({ length }) => length)));
      const plain = found?.map((each) => [...each]);
      if (JSON.stringify(plain) !== JSON.stringify(known?.logits)) t.fail(`step ${step}: another answer`);
      if (known !== undefined) model = [...model.filter((entry) => entry !== known), known];
    } else {
      const logits = Array.from({ length: 1 + next.integer(3) }, () =>
        Array.from({ length: 1 + next.integer(next.integer(50) === 0 ? 2_000 : 6) }, () => next.integer(100)),
      );
      cache.set(
        key,
        logits.map((each) => Float32Array.from(each)),
        bytesMax,
      );
      const bytes = ENTRY_BYTES + 4 * logits.flat().length;
      model = model.filter((entry) => entry !== known);
      if (bytes <= bytesMax) {
        shrink(bytesMax - bytes);
        model.push({ key, logits, bytes });
      }
    }
    const bytes = model.reduce((sum, entry) => sum + entry.bytes, 0);
    if (cache.bytes !== bytes || evicted !== gone || bytes > bytesMax) t.fail(`step ${step}: ${cache.bytes}`);
    if (!t.passing()) return;
  }
  t.pass();
});

test('at the limit every answer stays; one byte less, and the one used longest ago makes room', async (t) => {
  const logits: PlanLogits = [Float32Array.of(1, 2)];
  const each = ENTRY_BYTES + 8;
  const plan = optionsOf(2);
  const cache = new AnswerCache();
  for (const key of ['a', 'b', 'c']) cache.set(key, logits, 3 * each);
  t.equal(cache.bytes, 3 * each);
  t.ok(cache.get('a', plan), 'now b was used longest ago');
  cache.shrink(3 * each);
  t.equal(cache.bytes, 3 * each);
  cache.shrink(3 * each - 1);
  t.equal(cache.get('b', plan), undefined);
  t.ok(cache.get('a', plan));
  t.ok(cache.get('c', plan));
  cache.set('d', logits, 2 * each);
  t.equal(cache.get('a', plan), undefined);
  t.equal(cache.bytes, 2 * each);
});

test('an answer of the size of the cache is stored; one that is larger is not, and evicts nothing', async (t) => {
  const cache = new AnswerCache();
  cache.set('small', [new Float32Array(1)], 5_000);
  cache.set('large', [new Float32Array((5_000 - ENTRY_BYTES) / 4 + 1)], 5_000);
  t.equal(cache.get('large', optionsOf(1)), undefined);
  t.ok(cache.get('small', optionsOf(1)));
  cache.set('large', [new Float32Array((5_000 - ENTRY_BYTES) / 4)], 5_000);
  t.equal(cache.bytes, 5_000);
  t.equal(cache.get('small', optionsOf(1)), undefined);
});

test('what is stored cannot be changed from outside', async (t) => {
  const cache = new AnswerCache();
  const logits = [Float32Array.of(1, 2), Float32Array.of(3)];
  cache.set('key', logits, 5_000);
  logits[0]?.fill(9);
  const first = cache.get('key', optionsOf(2, 1));
  t.strictSame(first, [Float32Array.of(1, 2), Float32Array.of(3)]);
  first?.[0]?.fill(8);
  t.strictSame(cache.get('key', optionsOf(2, 1)), [Float32Array.of(1, 2), Float32Array.of(3)]);
});

test('the key covers the workspace, every token, every option, every image and where each list ends', async (t) => {
  const suffix = (own: number[], options: number[]) => ({
    tokens: tokens(...own),
    options: tokens(...options),
  });
  const plans: ReadonlyArray<readonly [string, string, Plan]> = [
    ['a plan', 'ws_a', planOf(tokens(1, 2), [suffix([3, 4], [5, 6])])],
    ['another workspace', 'ws_b', planOf(tokens(1, 2), [suffix([3, 4], [5, 6])])],
    ['another token of the prefix', 'ws_a', planOf(tokens(1, 9), [suffix([3, 4], [5, 6])])],
    ['a token moved to the suffix', 'ws_a', planOf(tokens(1), [suffix([2, 3, 4], [5, 6])])],
    ['a token moved to the options', 'ws_a', planOf(tokens(1, 2), [suffix([3], [4, 5, 6])])],
    ['the label mass', 'ws_a', planOf(tokens(1, 2), [suffix([3, 4], [5, 6, LABEL_MASS])])],
    ['another option', 'ws_a', planOf(tokens(1, 2), [suffix([3, 4], [5, 7])])],
    ['options in another order', 'ws_a', planOf(tokens(1, 2), [suffix([3, 4], [6, 5])])],
    ['one suffix more', 'ws_a', planOf(tokens(1, 2), [suffix([3, 4], [5, 6]), suffix([3, 4], [5, 6])])],
    ['the suffix divided', 'ws_a', planOf(tokens(1, 2), [suffix([3], []), suffix([4], [5, 6])])],
    ['suffixes', 'ws_a', planOf(tokens(1), [suffix([3], [5]), suffix([4], [6])])],
    ['suffixes in another order', 'ws_a', planOf(tokens(1), [suffix([4], [6]), suffix([3], [5])])],
    ['an image', 'ws_a', planOf(tokens(-1, 2), [suffix([3, 4], [5, 6])], [imageOf('x')])],
    ['another image', 'ws_a', planOf(tokens(-1, 2), [suffix([3, 4], [5, 6])], [imageOf('y')])],
    ['images', 'ws_a', planOf(tokens(-1, -2), [suffix([3], [5])], [imageOf('x'), imageOf('y')])],
    ['images exchanged', 'ws_a', planOf(tokens(-1, -2), [suffix([3], [5])], [imageOf('y'), imageOf('x')])],
    ['images joined', 'ws_a', planOf(tokens(-1, -2), [suffix([3], [5])], [imageOf('xy')])],
    ['a longer workspace', 'ws_ax', planOf(tokens(-1, -2), [suffix([3], [5])], [imageOf('y')])],
    ['a shorter one', 'ws_a', planOf(tokens(-1, -2), [suffix([3], [5])], [imageOf('xy')].reverse().slice(1))],
  ];
  const keys = plans.map(([, workspace, plan]) => answerKey(workspace, plan));
  t.equal(new Set(keys).size, plans.length);
  t.strictSame(
    plans.map(([, workspace, plan]) => answerKey(workspace, structuredClone(plan))),
    keys,
    'equal for equal plans',
  );
});
