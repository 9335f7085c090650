import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { ERRORS } from '../../src/api/index.js';
import { TESTS } from '../contract/all.js';
import { RULES } from '../contract/map.js';
import { BATCH_MUTATIONS } from '../mutations/batches.js';
import { MUTATIONS } from '../mutations/contract.js';
import { LEDGER_MUTATIONS } from '../mutations/ledger.js';
import { OPERATOR_MUTATIONS } from '../mutations/operator.js';
import { ROOT } from '../support/sources.js';

const tests = TESTS.map(({ name }) => name);
const rules = Object.entries(RULES);
const isMissing = (file: string) => !existsSync(join(ROOT, file));

test('every type of error has a row in contract 7', async (t) => {
  const rows = Object.keys(RULES).flatMap((rule) => /^7\.[124] ([a-z_]+)$/.exec(rule)?.[1] ?? []);
  for (const type of Object.keys(ERRORS)) t.ok(rows.includes(type), type);
});

test('every rule names tests that exist, or the reason for none', async (t) => {
  for (const [rule, { by = [], elsewhere = [], none }] of rules) {
    t.ok(by.length + elsewhere.length > 0 || none !== undefined, rule);
    t.strictSame([...by.filter((name) => !tests.includes(name)), ...elsewhere.filter(isMissing)], [], rule);
  }
});

test('every contract test covers a rule and has a unique name', async (t) => {
  const named = new Set(rules.flatMap(([, { by = [] }]) => by));
  t.strictSame(
    tests.filter((name) => !named.has(name)),
    [],
  );
  t.equal(new Set(tests).size, tests.length);
});

const all = [...MUTATIONS, ...BATCH_MUTATIONS, ...LEDGER_MUTATIONS, ...OPERATOR_MUTATIONS];

test('what a mutation replaces occurs once in its source, and the test that it names exists', async (t) => {
  for (const { rule, file, from, test: noticing = 'contract/node' } of all) {
    if (/^\d/.test(rule)) t.ok(rule in RULES, rule);
    const text = readFileSync(join(ROOT, 'src', file), 'utf8');
    t.equal(text.split(from).length, 2, `${rule}: ${file}: ${from}`);
    t.ok(existsSync(join(ROOT, 'test', `${noticing}.test.ts`)), noticing);
  }
});
