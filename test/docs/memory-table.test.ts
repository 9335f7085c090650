import { test } from 'tap';
import { publishedMemory, QUANTIZATIONS } from '../../bench/memory/published.js';
import { read } from '../support/pages.js';
import { LONG } from '../support/scale.js';

/** Processors for which llama.cpp rearranges other weights need slightly more or less. */
const TOLERANCE = 0.1;

const ROW = /^\| (12B|31B) +\| (\w+) +\| ([\d.]+) +\| ([\d.]+) +\| ([\d.]+) +\| ([\d.]+) +\|$/gm;

test('the memory of published models in models/README.md is what the estimate gives', async (t) => {
  const rows = [...read('models/README.md').matchAll(ROW)];
  t.equal(rows.length, 2 * QUANTIZATIONS.length);
  for (const [row, model, quantization, ...shown] of LONG ? rows : rows.slice(0, 1)) {
    const { file, cache, cpu, gpu } = await publishedMemory(
      model as '12B' | '31B',
      quantization as (typeof QUANTIZATIONS)[number],
    );
    [file, cache, cpu, gpu].forEach((bytes, column) => {
      const difference = Math.abs(Number(shown[column]) / (bytes / 1e9) - 1);
      t.ok(difference < TOLERANCE, `${row}: ${(bytes / 1e9).toFixed(1)} in column ${column}`);
    });
  }
});
