import { test } from 'tap';
import { splitLines } from '../../../src/base/lines.js';
import { cutFile } from '../../../src/batch/ingest/cut-file.js';
import { random, seedFromEnvironment } from '../../support/random.js';

const KIB = 1024;
const linesOf = (file: Buffer) => [...splitLines(file)].map(({ bytes }) => bytes.toString());

test('a cut ends with 256 lines', async (t) => {
  const file = (count: number) => Buffer.from('1\n'.repeat(count));
  t.strictSame(cutFile(file(256)), { cuts: [{ start: 0, end: 511, first: 0 }], lines: 256 });
  t.strictSame(cutFile(file(257)).cuts, [
    { start: 0, end: 511, first: 0 },
    { start: 512, end: 513, first: 256 },
  ]);
});

test('a cut ends with the line that reaches 256 KiB', async (t) => {
  const file = (first: number) => Buffer.from(`${'1'.repeat(first)}\n2\n3`);
  t.equal(cutFile(file(256 * KIB - 2)).cuts.length, 2, 'two lines reach it');
  t.equal(cutFile(file(256 * KIB - 4)).cuts.length, 1, 'three do');
  t.strictSame(cutFile(file(256 * KIB)).cuts, [
    { start: 0, end: 256 * KIB, first: 0 },
    { start: 256 * KIB + 1, end: 256 * KIB + 4, first: 1 },
  ]);
});

const seed = seedFromEnvironment();

test(`the cuts contain every line once, in order (TEST_SEED=${seed})`, async (t) => {
  const next = random(seed);
  for (let round = 0; round < 30; round += 1) {
    const text = Array.from({ length: 1 + next.integer(1_500) }, () =>
      next.pick(['', ' ', '{}', 'é', '7'.repeat(next.integer(5_000)), '1\r']),
    );
    const file = Buffer.from(`0\n${text.join('\n')}`);
    const { cuts, lines } = cutFile(file);
    const held = cuts.map(({ start, end }) => linesOf(file.subarray(start, end)));
    t.strictSame(held.flat(), linesOf(file), `round ${round}`);
    t.equal(lines, held.flat().length);
    t.ok(cuts.every(({ first }, at) => first === held.slice(0, at).flat().length));
    t.ok(held.every((each) => each.length > 0 && each.length <= 256));
  }
});
