import { writeFileSync } from 'node:fs';
import type { Random } from '../../../src/base/index.js';

const WORDS = 'the parcel was lost and nobody answers my mail about a refund since monday'.split(' ');
const TEAMS = ['billing', 'technical', 'sales'];
const LEVELS = ['can wait', 'this week', 'now'];

/** A case of a question of every type, as a line of a cases file. Every third state is JSON. */
export function generatedCase(next: Random, at: number) {
  const text = Array.from({ length: 3 + next.integer(10) }, () => next.pick(WORDS)).join(' ');
  return {
    id: `case-${at}`,
    group: `group-${Math.floor(at / 3)}`,
    split: Math.floor(at / 3) % 2 === 0 ? 'development' : 'held_out',
    request: {
      state: at % 3 === 0 ? { mail: { text, lines: at } } : `${text} ${at}`,
      questions: {
        angry: { type: 'noul', instructions: 'Is the customer angry?' },
        team: { type: 'choice', instructions: 'Which team?', criteria: TEAMS },
        urgent: { type: 'score', criteria: LEVELS },
      },
    },
    expected: { angry: next.integer(2) === 0, team: next.pick(TEAMS), urgent: next.integer(LEVELS.length) },
  };
}

/** Writes a cases file. */
export function writeCases(file: string, next: Random, count: number) {
  const cases = Array.from({ length: count }, (_, at) => generatedCase(next, at));
  writeFileSync(file, cases.map((each) => `${JSON.stringify(each)}\n`).join(''));
  return cases;
}
