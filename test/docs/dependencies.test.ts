import { test } from 'tap';
import { read } from '../support/pages.js';

test('docs/dependencies.md has an entry for every dependency, and no other', async (t) => {
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read('package.json'));
  const [tables = ''] = read('docs/dependencies.md').split('\n## Measured and rejected');
  const firstCells = [...tables.matchAll(/^\| (`[^|]+) \|/gm)].map((match) => match[1] as string);
  const entries = firstCells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]));
  const used = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
  t.strictSame(entries.sort(), used.sort());
});
