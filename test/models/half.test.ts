import { test } from 'tap';
import { fromHalf, toHalf } from '../../models/tiny/half.js';

const TABLE: readonly [number, number][] = [
  [0, 0x0000],
  [-0, 0x8000],
  [1, 0x3c00],
  [-2, 0xc000],
  [0.1, 0x2e66],
  [1 / 3, 0x3555],
  [1 + 2 ** -11, 0x3c00],
  [1 + 3 * 2 ** -11, 0x3c02],
  [1 + 2 ** -11 + 2 ** -23, 0x3c01],
  [2 - 2 ** -12, 0x4000],
  [65504, 0x7bff],
  [65519.99609375, 0x7bff],
  [65520, 0x7c00],
  [1e30, 0x7c00],
  [Number.NEGATIVE_INFINITY, 0xfc00],
  [2 ** -14, 0x0400],
  [2 ** -14 - 2 ** -25, 0x0400],
  [2 ** -15, 0x0200],
  [3 * 2 ** -24, 0x0003],
  [2 ** -24, 0x0001],
  [1.5 * 2 ** -24, 0x0002],
  [2.5 * 2 ** -24, 0x0002],
  [2 ** -25, 0x0000],
  [2 ** -25 + 2 ** -40, 0x0001],
  [-(2 ** -24), 0x8001],
  [2 ** -30, 0x0000],
];

test('numbers become the nearest half, ties the even one', async (t) => {
  for (const [value, half] of TABLE) t.equal(toHalf(value), half, String(value));
  t.equal(toHalf(Number.NaN) & 0x7fff, 0x7e00, 'NaN');
});

test('every half comes back as itself', async (t) => {
  const wrong: number[] = [];
  for (let half = 0; half <= 0xffff; half++) {
    const value = fromHalf(half);
    if (!Number.isNaN(value) && toHalf(value) !== half) wrong.push(half);
  }
  t.strictSame(wrong, []);
});

test('a number between two halves goes to the nearer one', async (t) => {
  let wrong = 0;
  for (let half = 0; half < 0x7bff; half++) {
    const low = fromHalf(half);
    const high = fromHalf(half + 1);
    if (toHalf(low + (high - low) / 4) !== half) wrong++;
    if (toHalf(low + ((high - low) * 3) / 4) !== half + 1) wrong++;
    if (toHalf((low + high) / 2) !== half + (half & 1)) wrong++;
  }
  t.equal(wrong, 0);
});
