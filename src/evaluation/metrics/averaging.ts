import type { BootstrapOptions } from '../../statistics/index.js';
import type { OptionAveraging } from '../report.js';
import { comparisonOf, type Pair } from './comparison.js';

/** The choice questions of a case as sent and averaged over orders of their options. */
export interface AveragedAnswers {
  readonly rotations: number;
  readonly pairs: readonly Pair[];
  /** Input tokens of the case, both ways. */
  readonly tokens: OptionAveraging['tokens'];
}

/** What averaging changes, for each number of orders. Null if no question was asked in several orders. */
export function averagingOf(
  cases: readonly AveragedAnswers[],
  options: BootstrapOptions,
): readonly OptionAveraging[] | null {
  const counts = [...new Set(cases.map(({ rotations }) => rotations))].sort((a, b) => a - b);
  const found = counts.flatMap((rotations) => {
    const own = cases.filter((each) => each.rotations === rotations);
    const pairs = own.flatMap((each) => each.pairs);
    if (pairs.length === 0) return [];
    const tokens = (way: 'sent' | 'averaged') => own.reduce((sum, each) => sum + each.tokens[way], 0);
    return [
      {
        rotations,
        comparison: comparisonOf(pairs, options),
        tokens: { sent: tokens('sent'), averaged: tokens('averaged') },
      },
    ];
  });
  return found.length === 0 ? null : found;
}
