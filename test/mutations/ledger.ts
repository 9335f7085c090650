import type { Mutation } from './contract.js';

type Change = readonly [test: string, rule: string, from: string, to: string];

const inFile = (file: string, ...changes: readonly Change[]) =>
  changes.map(
    ([test, rule, from, to]): Mutation => ({
      rule,
      file: `storage/database/ledger/${file}`,
      from,
      to,
      test: `storage/database/ledger/${test}`,
    }),
  );

/** Every one of these must be noticed by the test it names: `npm run mutations -- --of ledger` shows it. */
export const LEDGER_MUTATIONS: readonly Mutation[] = [
  ...inFile(
    'waiting.ts',
    ['schedules', 'own answer', 'return Object.freeze([...this.waiters]);', 'return this.waiters;'],
    ['workspace-credit', 'own answer', 'return Object.freeze([...this.waiters]);', 'return this.waiters;'],
  ),
  ...inFile(
    'workspace-credit.ts',
    ['schedules', 'given up', 'this.book.release(unclaimed);', ''],
    ['workspace-credit', 'answers', 'ensure(reserved === wasReserved', 'ensure(true'],
  ),
  ...inFile(
    'lease-book.ts',
    ['schedules', 'set aside', 'this.unused -= returned;', ''],
    ['lease-book', 'no negative part', 'ensure(areParts', 'ensure(true'],
  ),
  ...inFile('line-needs.ts', ['schedules', 'asked once', 'this.costs.includes(cost) || ', '']),
  ...inFile('exchange-loop.ts', ['schedules', 'repeated', 'holdings.putBack(taken);', '']),
  ...inFile('certain-exchange.ts', [
    'schedules',
    'unknown commit',
    'if (await isWritten(database, work, waits)) return results;',
    'return results;',
  ]),
  ...inFile('grant.ts', ['schedules', 'waits for others', 'return othersHold && ', 'return ']),
];
