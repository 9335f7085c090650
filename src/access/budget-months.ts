import { monthOf } from './dates.js';

/**
 * The UTC months whose charges count against budgets, such as `2026-11`. Every charge is counted on the day that the calendar
 * shows, whether that is certain or not. A budget begins anew only when the calendar is certain: otherwise a clock that is
 * wrong for minutes would give each workspace a second budget.
 */
export interface BudgetMonths {
  /** That of the calendar, which reports call this month. */
  readonly current: string;
  /** That of the last certain time, if it is another one: while the calendar is in doubt, its charges count too. */
  readonly doubted: string | null;
}

/** The months by a calendar that shows `now`; `settled`: see `Clock.settled`. Both in milliseconds since 1970. */
export function budgetMonths(now: number, settled: number): BudgetMonths {
  const current = monthOf(now);
  const before = settled === now ? current : monthOf(settled);
  return { current, doubted: before === current ? null : before };
}

export const areSameMonths = (one: BudgetMonths, other: BudgetMonths): boolean =>
  one.current === other.current && one.doubted === other.doubted;
