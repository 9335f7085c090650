// The bounds between classes of confidence stand in three places: the console shows them without the code of statistics.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { CONFIDENCE_BOUNDS } from '../../src/statistics/drift/distribution.js';
import { ROOT } from '../support/sources.js';

const numbersIn = (file: string, pattern: RegExp): number[] => {
  const found = readFileSync(join(ROOT, file), 'utf8').match(pattern)?.[1] ?? '';
  return (found.match(/[0-9.]*[0-9]/g) ?? []).map(Number);
};

test('the classes of confidence are the same in the code, the contract and the console', async (t) => {
  const bounds = [...CONFIDENCE_BOUNDS];
  t.strictSame(numbersIn('docs/contract.md', /in each class \(bounds ([^)]*)\)/), bounds);
  t.strictSame(numbersIn('src/console/tasks/drift-panel.tsx', /const BOUNDS = \[([^\]]*)\]/), bounds);
});
