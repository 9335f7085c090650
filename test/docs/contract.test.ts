import { test } from 'tap';
import { RULES } from '../contract/map.js';
import { PAGES, read } from '../support/pages.js';
import { sources } from '../support/sources.js';
import { anchorOf, anchors, CONTRACT, citations, ruleAnchors } from './contract-page.js';

test('every rule of the map has its paragraph in the contract, and every rule there is in the map', async (t) => {
  const rules = ruleAnchors();
  t.strictSame(rules.map(({ id }) => id).sort(), Object.keys(RULES).map(anchorOf).sort());
  for (const { id, text } of rules) t.match(text, /\w[\s\S]{10}/, `${id} says something`);
  t.equal(new Set(anchors().map(({ id }) => id)).size, anchors().length, 'an anchor is used once');
});

test('every numbered rule has an anchor with its number', async (t) => {
  const rules = [...read(CONTRACT).matchAll(/^(\d+)\. (?:<a id="([^"]+)"><\/a>)?/gm)];
  t.ok(rules.length > 50, 'rules were found');
  for (const [line, number, anchor] of rules) {
    // Sections have a number too.
    t.match(anchor, new RegExp(`^\\d+(\\.\\d+)?(-rule-${number})$`), line);
  }
});

test('every citation of the contract leads to a rule or a section', async (t) => {
  const known = new Set(anchors().map(({ id }) => id));
  const texts = [
    ...sources('src', 'test', 'bench', 'native').filter(({ path }) => !path.startsWith('test/docs/contract')),
    ...PAGES.map((path) => ({ path, text: read(path) })),
  ];
  let count = 0;
  for (const { path, text } of texts) {
    const { found, otherForms } = citations(text);
    count += found.length;
    for (const cited of found) {
      for (const anchor of cited.anchors) if (!known.has(anchor)) t.fail(`${path}: ${cited.text}: ${anchor}`);
    }
    t.strictSame(otherForms, [], `${path}: written as no citation is`);
  }
  t.ok(count > 100, 'citations were found');
});

test('citations: the forms there are, and those that are refused', async (t) => {
  const of = (text: string) => citations(text).found.flatMap((each) => each.anchors);
  t.strictSame(of('(contract 4.3 rule 6)'), ['4.3-rule-6']);
  t.strictSame(of('Contract 6 rules 2, 3 and 5.'), ['6-rule-2', '6-rule-3', '6-rule-5']);
  t.strictSame(of('the id (contract 4.3\n   * rule 6) of contract 2.9'), ['4.3-rule-6', '2.9']);
  t.strictSame(of('contract 2.1 `state`, contract 8 `questions`'), ['2.1-state', '8-limit-questions']);
  t.strictSame(of('contract 2.1 `no such`'), ['2.1-no-such']);
  for (const text of [
    'contract 5, rule 6',
    'contract 2.1 and 2.2',
    'contract 9 point 2',
    'contract section 4',
  ]) {
    t.equal(citations(text).otherForms.length, 1, text);
  }
  t.strictSame(citations('contract 5, and what follows; contract 6 and contract 2.10').otherForms, []);
});
