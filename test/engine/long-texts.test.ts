import { test } from 'tap';
import { cutLongText, WHOLE_UNITS_MAX } from '../../src/engine/profile/long-texts.js';

const letters = (count: number) => 'a'.repeat(count);

test('a text is cut only if it is longer than the bound, and no part is', async (t) => {
  for (const text of ['', 'two words', letters(WHOLE_UNITS_MAX), 'a '.repeat(WHOLE_UNITS_MAX / 2)]) {
    t.strictSame(cutLongText(text), [text]);
  }
  for (const pattern of ['a', ' ', '\u0001!', ' \u3000', 'a ', 'a\u0301 ', '\n ', '日本 語', '🙂']) {
    const text = pattern.repeat((3 * WHOLE_UNITS_MAX) / pattern.length);
    const parts = cutLongText(text);
    t.ok(
      parts.every(({ length }) => length <= WHOLE_UNITS_MAX),
      JSON.stringify(pattern),
    );
    t.equal(parts.join(''), text);
  }
});

test('it is cut before the space or line end behind a word, if one is near', async (t) => {
  const [first, second] = cutLongText(`${letters(WHOLE_UNITS_MAX - 9)} nine, and more`);
  t.equal(first, letters(WHOLE_UNITS_MAX - 9));
  t.equal(second, ' nine, and more');
  t.equal(
    cutLongText(`${'語'.repeat(WHOLE_UNITS_MAX - 9)}\n語。\n${letters(9)}`)[1],
    `\n語。\n${letters(9)}`,
  );
  t.equal(cutLongText(`${letters(9)} ${letters(WHOLE_UNITS_MAX)}`)[0]?.length, WHOLE_UNITS_MAX);
});

test('a surrogate pair is not cut', async (t) => {
  const [first, second] = cutLongText(`${letters(WHOLE_UNITS_MAX - 1)}😀😀`);
  t.equal(first, letters(WHOLE_UNITS_MAX - 1));
  t.equal(second, '😀😀');
});
