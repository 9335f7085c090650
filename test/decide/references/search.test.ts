import { test } from 'tap';
import { ReferenceSearch } from '../../../src/decide/references/search.js';
import { naiveFind } from '../../support/decide/naive-search.js';
import { type Random, random, seedFromEnvironment } from '../../support/random.js';
import { scaled } from '../../support/scale.js';

const ALL = Number.MAX_SAFE_INTEGER;
const find = (text: string, references: string[], max = ALL) =>
  new ReferenceSearch(references).find(text, max);
const texts = (text: string, references: string[]) =>
  find(text, references).map(({ start, end }) => text.slice(start, end));

test('plain and case-sensitive, anywhere in the text', async (t) => {
  t.strictSame(find('a .* b', ['.*']), [{ start: 2, end: 4, reference: 0 }]);
  t.strictSame(texts('Cat cat concatenate', ['cat']), ['cat', 'cat']);
  t.strictSame(texts('tabs\tand\nlines', ['\tand\n']), ['\tand\n']);
  t.strictSame(texts('a "quoted" é漢🙂 name', ['"quoted" é漢🙂']), ['"quoted" é漢🙂']);
  t.strictSame(texts('', ['a']), []);
});

test('4.3 rule 5: of references that begin at one place the longest wins', async (t) => {
  t.strictSame(texts('img10 img1 img', ['img', 'img1', 'img10']), ['img10', 'img1', 'img']);
  t.strictSame(texts('abcd', ['bc', 'abcd']), ['abcd'], 'also where the shorter one ends first');
  t.strictSame(texts('abce', ['bc', 'abcd']), ['bc'], 'a longer one that breaks off takes nothing');
  t.strictSame(texts('aab', ['a', 'aaa', 'ab']), ['a', 'ab']);
});

test('left to right, and no two overlap', async (t) => {
  t.strictSame(texts('abc', ['ab', 'bc']), ['ab']);
  t.strictSame(texts('ababa', ['aba']), ['aba']);
  t.strictSame(texts('aaaaa', ['aa']), ['aa', 'aa']);
});

test('a reference is never found in the middle of a character', async (t) => {
  // U+1F642 and U+1F643 share their first half, U+10042 and U+1F442 their second.
  t.strictSame(texts('\u{1f643}', ['\u{1f642}']), []);
  t.strictSame(find('\u{1f643}\u{1f642}', ['\u{1f642}']), [{ start: 2, end: 4, reference: 0 }]);
});

test('the first ones only', async (t) => {
  t.equal(find('a'.repeat(100), ['a'], 9).length, 9);
  t.strictSame(find('a', ['a'], 0), []);
});

function randomText(next: Random, alphabet: string[], length: number): string {
  return Array.from({ length }, () => next.pick(alphabet)).join('');
}

test('a reference at every place around the end of a window of the search', async (t) => {
  for (let before = 16_384 - 12; before < 16_384 + 4; before += 1) {
    const text = `${'x'.repeat(before)}abcabcabd`;
    const starts = find(text, ['abcabd', 'bca']).map(({ start }) => start - before);
    t.strictSame(starts, [1, 4], String(before));
    t.strictSame(find(text, ['abcabd', 'zz']), [{ start: before + 3, end: before + 9, reference: 0 }]);
    t.equal(find(text, ['a']).length, 3);
  }
});

test('as the naive search finds, over texts and references made against each other', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const alphabets = [['a'], ['a', 'b'], ['a', 'b', 'c'], ['x', 'é', '🙂', '🙃'], ['ab', 'ba', 'aab']];
  for (let round = 0; round < scaled({ short: 3_000, long: 20_000 }); round += 1) {
    const alphabet = next.pick(alphabets);
    const references = Array.from({ length: 1 + next.integer(8) }, () =>
      randomText(next, alphabet, 1 + next.integer(6)),
    );
    const distinct = [...new Set(references)];
    const text = randomText(next, alphabet, next.integer(40));
    const expected = naiveFind(text, distinct);
    const found = find(text, distinct);
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      t.strictSame(found, expected, `round ${round}: ${JSON.stringify({ text, distinct })}`);
      return;
    }
    if (JSON.stringify(find(text, distinct, 2)) !== JSON.stringify(expected.slice(0, 2))) {
      t.fail(`round ${round}: the first two of ${JSON.stringify({ text, distinct })}`);
      return;
    }
  }
  t.pass('20,000 rounds');
});

test('the time grows with the text, not with the references, whatever both hold', async (t) => {
  // 64 KiB of references that fail at their last unit everywhere: a naive search would need 10^11 steps.
  const references = Array.from({ length: 64 }, (_, i) => `${'a'.repeat(1_000)}b${'c'.repeat(i)}`);
  const search = new ReferenceSearch(references);
  const text = 'a'.repeat(32 * 1024 * 1024);
  search.find(text.slice(0, 100_000), 9);
  const before = process.cpuUsage();
  t.strictSame(search.find(text, 9), []);
  // Some 0.2 s of processor time, which does not depend on what else runs; another order of growth needs minutes.
  const { user, system } = process.cpuUsage(before);
  t.ok(user + system < 5_000_000, `${user + system} µs`);
});
