import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'tap';
import { type Bitmap, gridSize, gridTokens } from '../../src/images/pixels.js';
import { resize } from '../../src/images/resize.js';

const BUDGETS = [70, 140, 280];
const SIDE = 48;
const { grids, resized } = JSON.parse(
  readFileSync(new URL('../../../test/images/pillow.json', import.meta.url), 'utf8'),
) as { grids: number[][]; resized: [number, number, number, number, string][] };

/** As the script beside this makes them. */
function pixels(width: number, height: number): Bitmap {
  const rgb = new Uint8Array(width * height * 3);
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      for (let channel = 0; channel < 3; channel += 1, at += 1)
        rgb[at] = x * x * 7 + y * 31 + x * y * (channel + 1) + channel * 85;
  return { width, height, rgb };
}

test('509 sizes at each budget are stretched as the published rule says', async (t) => {
  t.equal(grids.length, 509);
  for (const [width, height, ...sides] of grids as [number, number, ...number[]][]) {
    const found = BUDGETS.flatMap((tokens) => {
      const size = gridSize({ width, height }, tokens, SIDE);
      return [size.width, size.height];
    });
    t.strictSame(found, sides, `${width} × ${height}`);
  }
});

test('no allowed size takes more tokens than its budget, or no square', async (t) => {
  let wrong = 0;
  for (const tokens of BUDGETS)
    for (let width = 280; width <= 1568; width += 7)
      for (let height = 280; height <= 1568; height += 7) {
        const used = gridTokens(gridSize({ width, height }, tokens, SIDE), SIDE);
        if (used < tokens * 0.7 || used > tokens) wrong += 1;
      }
  t.equal(wrong, 0);
});

test('resized pixels are Pillow’s, to the byte', async (t) => {
  for (const [width, height, toWidth, toHeight, sha256] of resized) {
    const made = resize(pixels(width, height), { width: toWidth, height: toHeight });
    t.strictSame([made.width, made.height, made.rgb.length], [toWidth, toHeight, toWidth * toHeight * 3]);
    t.equal(
      createHash('sha256').update(made.rgb).digest('hex'),
      sha256,
      `${width} × ${height} to ${toWidth} × ${toHeight}`,
    );
  }
});
