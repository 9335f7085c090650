import { test } from 'tap';
import { referencesBody, searchCases } from '../../bench/references/cases.js';
import { ReferenceSearch } from '../../src/decide/references/search.js';

test('texts and references have the sizes asked for, and nothing is found', async (t) => {
  for (const { name, text, references } of searchCases(100_000, 64 * 1_024)) {
    t.equal(text.length, 100_000, name);
    const units = references.reduce((sum, { length }) => sum + length, 0);
    t.ok(units >= 64 * 1_024, `${name}: ${units}`);
    t.equal(new Set(references).size, references.length, name);
    t.strictSame(new ReferenceSearch(references).find(text, 9), [], name);
  }
});

test('the body has the size asked for', async (t) => {
  const body = referencesBody(100_000);
  t.equal(body.length, 100_000);
  t.equal(Object.keys(JSON.parse(body.toString()).assets).length, 8);
});
