import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { CLAIM } from '../../models/nano/card/bounds.js';
import { claimsOf } from '../../models/nano/card/claims.js';
import { readFigures } from '../../models/nano/card/main.js';
import { ROOT } from '../support/sources.js';

interface Case {
  readonly id: string;
  readonly request: { readonly state: unknown; readonly questions: Record<string, { criteria?: unknown }> };
  readonly expected: Record<string, unknown>;
}

const read = (set: string): Case[] =>
  readFileSync(join(ROOT, `models/nano/evaluation/${set}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const SETS = ['handwritten', 'near', 'outside', 'scale'] as const;
const cases = Object.fromEntries(SETS.map((set) => [set, read(set)])) as Record<
  (typeof SETS)[number],
  Case[]
>;
const figures = readFigures();

test('the figures are of all questions of the sets', async (t) => {
  for (const set of SETS) {
    const questions = cases[set].flatMap(({ expected }) => Object.keys(expected));
    t.equal(figures.sets[set].questions, questions.length, set);
  }
  t.equal(cases.near.length, 300);
});

test('every claim has enough hand-written questions', async (t) => {
  for (const { family, type, handwritten, isClaimed } of claimsOf(figures)) {
    if (isClaimed) t.ok((handwritten?.questions ?? 0) >= CLAIM.handwrittenMin, `${family} ${type}`);
  }
});

test('the scale of the README is tested on 20 messages', async (t) => {
  const scale = ['can wait', 'this week', 'now'];
  t.equal(cases.scale.length, 20);
  t.match(readFileSync(join(ROOT, 'README.md'), 'utf8'), JSON.stringify(scale).replaceAll(',', ', '));
  for (const { request } of cases.scale) t.strictSame(request.questions['urgent']?.criteria, scale);
});

test('no id is in two sets, and no state in two sets', async (t) => {
  const owners = new Map<string, string>();
  const repeated: string[] = [];
  for (const set of SETS) {
    for (const { id, request } of cases[set]) {
      for (const text of [id, JSON.stringify(request.state)]) {
        if ((owners.get(text) ?? set) !== set) repeated.push(text);
        owners.set(text, set);
      }
    }
  }
  t.strictSame(repeated, []);
});
