import {
  type AccountBalance,
  type Amount,
  dayOf,
  lacking,
  monthOf,
  type Pause,
  pauseOf,
  type Workspace,
} from '../../../access/index.js';
import type { Value } from '../lmdb/table.js';

/** What an account needs from the ledger. */
interface AccountDependencies {
  /** Whether the calendar is certain: only then does another month begin. */
  isCertain(): boolean;
  /** The charges of the workspace in a month, summed from its counters. */
  chargedIn(month: string): Amount;
}

/** The charges of a workspace, and the amount reserved for its requests in progress. */
export class Account {
  private charged: Amount;
  private month: string;
  private monthCharged: Amount;
  /** In memory only: reservations end with the process. */
  private reserved: Amount = 0n;

  constructor(
    row: Value<'accounts'> | undefined,
    now: number,
    private readonly deps: AccountDependencies,
  ) {
    this.charged = BigInt(row?.charged ?? 0);
    this.month = row?.month ?? monthOf(now);
    this.monthCharged = BigInt(row?.monthCharged ?? 0);
  }

  /** Why the workspace is paused; null if it is not. */
  pause(workspace: Workspace, now: number): Pause | null {
    this.turnMonth(now);
    return pauseOf(workspace, this.sums);
  }

  /** Why an amount cannot be reserved; null if it can. Reserves nothing. */
  lacks(amount: Amount, workspace: Workspace, now: number): Pause | null {
    this.turnMonth(now);
    return lacking(workspace, this.sums, this.reserved + amount);
  }

  private get sums() {
    return { charged: this.charged, monthCharged: this.monthCharged };
  }

  /** What is left of the credit, reservations excluded, and the charges of this month. */
  balance({ granted }: Workspace, now: number): AccountBalance {
    this.turnMonth(now);
    const { charged, reserved, monthCharged } = this;
    return { credit: granted - charged - reserved, charged, reserved, monthCharged };
  }

  reserve(amount: Amount): void {
    this.reserved += amount;
  }

  release(amount: Amount): void {
    this.reserved -= amount;
  }

  /** The day on which a charge made now is counted. It lies in the account's month. */
  dayToCharge(now: number): string {
    this.turnMonth(now);
    return monthOf(now) === this.month ? dayOf(now) : `${this.month}-01`;
  }

  /** Charges the month of the last `dayToCharge`. */
  charge(amount: Amount): void {
    this.charged += amount;
    this.monthCharged += amount;
  }

  row(): Value<'accounts'> {
    return {
      charged: this.charged.toString(),
      month: this.month,
      monthCharged: this.monthCharged.toString(),
    };
  }

  /**
   * Also returns to an earlier month, after the calendar was wrong: the charges of a month are summed from its counters.
   */
  private turnMonth(now: number): void {
    const month = monthOf(now);
    if (month === this.month || !this.deps.isCertain()) return;
    this.monthCharged = this.deps.chargedIn(month);
    this.month = month;
  }
}
