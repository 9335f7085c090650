import { test } from 'tap';
import { cutLongRuns, RUN_UNITS_MAX } from '../../src/engine/profile/long-runs.js';

const letters = (count: number) => 'a'.repeat(count);

test('a text is cut only within a run that exceeds the bound', async (t) => {
  const words = `${letters(RUN_UNITS_MAX)} ${letters(RUN_UNITS_MAX)}\n\n${letters(9)}`;
  for (const text of ['', 'two words', letters(RUN_UNITS_MAX), words]) {
    t.strictSame(cutLongRuns(text), [text]);
  }
  t.strictSame(cutLongRuns(`x ${letters(RUN_UNITS_MAX + 1)} y`), [`x ${letters(RUN_UNITS_MAX)}`, 'a y']);
  t.strictSame(
    cutLongRuns(' '.repeat(2 * RUN_UNITS_MAX + 3)).map(({ length }) => length),
    [RUN_UNITS_MAX, RUN_UNITS_MAX, 3],
  );
});

test('a surrogate pair is not cut', async (t) => {
  const [first, second] = cutLongRuns(`${letters(RUN_UNITS_MAX - 1)}😀😀`);
  t.equal(first, `${letters(RUN_UNITS_MAX - 1)}😀`);
  t.equal(second, '😀');
});
