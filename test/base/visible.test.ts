import { test } from 'tap';
import {
  OperatorError,
  printable,
  random,
  visible,
  visibleJson,
  visibleLines,
} from '../../src/base/index.js';
import { seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';

/** What a terminal must not receive, written without the patterns of the source. */
const isUnsafe = (code: number) =>
  code < 0x20 ||
  (code >= 0x7f && code <= 0x9f) ||
  (code >= 0xd800 && code <= 0xdfff) ||
  (code >= 0x2028 && code <= 0x202e) ||
  (code >= 0x2060 && code <= 0x206f) ||
  [0xad, 0x200b, 0xfeff].includes(code);
const unsafeIn = (text: string) => [...text].filter((each) => isUnsafe(each.codePointAt(0) as number));

const HOSTILE = [
  '\u001b[31m',
  '\u001b]0;title\u0007',
  '\u009b2J',
  '\r',
  '\n',
  '\t',
  '\b',
  '\u007f',
  '\u0085',
  '\u202e',
  '\u2066',
  '\u2028',
  '\ufeff',
  '\u200b',
  '\ud800',
  '\udc00',
  '\u00ad',
  '\u0000',
];
const LEGITIMATE = [
  'plain',
  'é',
  '한국어',
  'مرحبا',
  'שלום',
  'می\u200cخواهم',
  '👩\u200d👩\u200d👧',
  '\u200e',
  '\u200f',
  '❤\ufe0f',
  '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
  '\u0600',
  '\\',
  '"',
  '𝒳',
];

test('legitimate text stays as it is', async (t) => {
  for (const text of LEGITIMATE) {
    t.equal(visible(text), text);
    t.equal(visibleJson(JSON.stringify(text)), JSON.stringify(text));
  }
});

test('what could control a terminal is written as an escape', async (t) => {
  t.equal(visible('a\u001b[2J\n\r\t\u009b\u202eb'), 'a\\u{1b}[2J\\n\\r\\t\\u{9b}\\u{202e}b');
  t.equal(visible('x\u{e0041}'), 'x\\u{e0041}', 'a tag without a flag');
  t.equal(visibleLines('a\nb\r'), 'a\nb\\r');
  t.equal(new OperatorError('a\nb').message, 'a\\nb', 'no second line is forged');
  t.equal(new OperatorError(['a', 'b\n']).message, 'a\nb\\n');
  t.equal(printable('é'.repeat(300)).length, 200);
  t.equal(printable('👩'.repeat(300)), '👩'.repeat(200), 'no half of a character');
});

const SEED = seedFromEnvironment();
const TEXTS = scaled({ short: 2_000, long: 20_000 });

test(`random texts, seed ${SEED}`, async (t) => {
  const next = random(SEED);
  const parts = [...HOSTILE, ...LEGITIMATE];
  for (let count = 0; count < TEXTS; count++) {
    const length = next.integer(12);
    const text = Array.from({ length }, () => next.pick(parts)).join('');
    const name = JSON.stringify(text);
    for (const shown of [visible(text), printable(text), new OperatorError(text).message])
      if (unsafeIn(shown).length > 0) t.fail(`${name} is shown as ${JSON.stringify(shown)}`);
    if (visible(visible(text)) !== visible(text)) t.fail(`${name} is escaped twice`);
    const json = visibleJson(JSON.stringify({ [text]: text }, null, 2));
    if (unsafeIn(json.replaceAll('\n', '')).length > 0) t.fail(`${name} as JSON`);
    t.strictSame(JSON.parse(json), { [text]: text });
  }
});
