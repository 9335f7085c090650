import {
  type AccountBalance,
  type Amount,
  areSameMonths,
  type BudgetMonths,
  lacking,
  type Pause,
  pauseOf,
  type Workspace,
} from '../../../access/index.js';
import type { Value } from '../lmdb/table.js';

/** The charges of a workspace, and the amount reserved for its requests in progress. `months`: those of now. */
export class Account {
  private charged: Amount;
  /** `monthCharged` is the sum of the counters of `months.current`. */
  private months: BudgetMonths;
  private monthCharged: Amount;
  /** The sum of the counters of `months.doubted`. */
  private doubtedCharged: Amount = 0n;
  /** In memory only: reservations end with the process. */
  private reserved: Amount = 0n;

  constructor(
    row: Value<'accounts'> | undefined,
    months: BudgetMonths,
    /** The charges of the workspace in a month, summed from its counters. */
    private readonly chargedIn: (month: string) => Amount,
  ) {
    this.charged = BigInt(row?.charged ?? 0);
    this.months = { current: row?.month ?? months.current, doubted: null };
    this.monthCharged = BigInt(row?.monthCharged ?? 0);
  }

  /** Why the workspace is paused; null if it is not. */
  pause(workspace: Workspace, months: BudgetMonths): Pause | null {
    this.turnMonth(months);
    return pauseOf(workspace, this.sums);
  }

  /** Why an amount cannot be reserved; null if it can. Reserves nothing. */
  lacks(amount: Amount, workspace: Workspace, months: BudgetMonths): Pause | null {
    this.turnMonth(months);
    return lacking(workspace, this.sums, this.reserved + amount);
  }

  private get sums() {
    return { charged: this.charged, budgetCharged: this.monthCharged + this.doubtedCharged };
  }

  /** What is left of the credit, reservations excluded, and the charges of this month. */
  balance({ granted }: Workspace, months: BudgetMonths): AccountBalance {
    this.turnMonth(months);
    const { charged, reserved, monthCharged } = this;
    return { credit: granted - charged - reserved, charged, reserved, monthCharged };
  }

  reserve(amount: Amount): void {
    this.reserved += amount;
  }

  release(amount: Amount): void {
    this.reserved -= amount;
  }

  /** Charges an amount. `count` adds it to a counter of the current month; if it throws, nothing is charged. */
  charge(amount: Amount, months: BudgetMonths, count: () => void): void {
    // First: the sum of a month that begins does not have this charge yet.
    this.turnMonth(months);
    count();
    this.charged += amount;
    this.monthCharged += amount;
  }

  row(): Value<'accounts'> {
    return {
      charged: this.charged.toString(),
      month: this.months.current,
      monthCharged: this.monthCharged.toString(),
    };
  }

  /** Follows the calendar, also to an earlier month. The charges of a month are summed from its counters. */
  private turnMonth(months: BudgetMonths): void {
    if (areSameMonths(months, this.months)) return;
    const { current, doubted } = months;
    // Both before anything changes: reading counters can fail.
    const charged = current === this.months.current ? this.monthCharged : this.chargedIn(current);
    const doubtedCharged = doubted === null ? 0n : this.chargedIn(doubted);
    this.months = months;
    this.monthCharged = charged;
    this.doubtedCharged = doubtedCharged;
  }
}
