import { test } from 'tap';
import { decodeKey, encodeKey, endOfPrefix, type KeyPart } from '../../src/sealing/key-layout.js';
import { random, seedFromEnvironment } from '../support/random.js';

const LAYOUT = [
  ['workspace', 'text'],
  ['number', 'number'],
  ['day', 'text'],
] as const;

const TEXTS = ['', 'a', 'ab', 'b', 'a b', 'a-', '~', 'é', '中', '\u{1f600}', '\u0001', '\uffff', 'a\u0001'];
const NUMBERS = [0, 1, 2, 255, 256, 65_535, 65_536, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1];

/** Texts by their code points, numbers by their size; the first part that differs decides. */
function compare(one: readonly KeyPart[], other: readonly KeyPart[]): number {
  for (const [at, part] of one.entries()) {
    const against = other[at] as KeyPart;
    if (part === against) continue;
    if (typeof part === 'number') return part - (against as number);
    const points = (text: string) => [...text].map((sign) => sign.codePointAt(0) as number);
    const [a, b] = [points(part), points(against as string)];
    const differs = a.findIndex((point, index) => point !== b[index]);
    return differs === -1 ? -1 : (a[differs] as number) - (b[differs] ?? -1);
  }
  return 0;
}

test('keys sort like their parts, and decode to them', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const { pick, integer } = random(seed);
  const text = () => Array.from({ length: integer(4) }, () => pick(TEXTS)).join('');
  const parts = (): KeyPart[] => [text(), pick(NUMBERS), text()];
  for (let round = 0; round < 3_000; round += 1) {
    const one = parts();
    const other = integer(2) === 0 ? parts() : [one[0] as KeyPart, pick(NUMBERS), text()];
    const [a, b] = [encodeKey(LAYOUT, one), encodeKey(LAYOUT, other)];
    const same = Math.sign(Buffer.compare(a, b)) === Math.sign(compare(one, other));
    if (!same) t.fail(JSON.stringify([one, other]));
    const back = JSON.stringify(decodeKey(LAYOUT, a)) === JSON.stringify(one);
    if (!back) t.fail(JSON.stringify(one));
  }
});

test('the keys with a common prefix are those from the prefix to its end', async (t) => {
  const within = (prefix: readonly KeyPart[], parts: readonly KeyPart[]) => {
    const [start, key] = [encodeKey(LAYOUT, prefix), encodeKey(LAYOUT, parts)];
    const end = endOfPrefix(start);
    return Buffer.compare(start, key) <= 0 && (end === undefined || Buffer.compare(key, end) < 0);
  };
  t.ok(within([], ['a', 1, 'b']), 'no parts: all');
  t.ok(within(['a'], ['a', 2 ** 32 - 1, '\uffff']));
  t.notOk(within(['a'], ['ab', 0, '']), 'a longer text is another part');
  t.notOk(within(['a'], ['', 0, '']));
  t.ok(within(['a', 255], ['a', 255, 'x']));
  t.notOk(within(['a', 255], ['a', 256, '']));
  for (const number of [2 ** 32 - 2, 2 ** 32 - 1, 2 ** 40, 2 ** 53 - 1])
    t.ok(within(['a', number], ['a', number, 'x']), `${number} has an end too`);
  t.notOk(within(['a', 2 ** 32 - 2], ['a', 2 ** 32 - 1, '']));
  t.equal(endOfPrefix(Buffer.of(255, 255)), undefined);
});

test('a part that does not match its layout is refused', async (t) => {
  const refused = (...parts: KeyPart[]) => t.throws(() => encodeKey(LAYOUT, parts), JSON.stringify(parts));
  refused(1);
  refused('a', 'b');
  refused('a\0b');
  refused('a', -1);
  refused('a', 1.5);
  refused('a', 2 ** 53);
  refused('a', 1, 'b', 'c');
});
