import type { Value } from '../store/index.js';
import { dayOf, monthOf } from './calendar.js';
import type { Amount } from './money.js';
import type { Workspace } from './workspaces.js';

/** Why a workspace may not be charged any more (contract 5 rule 6). */
export type Pause = 'out_of_credit' | 'budget_exceeded';

/** What an account asks of the ledger. */
export interface AccountDependencies {
  /** Whether the calendar is beyond doubt: only then another month begins. */
  isCertain(): boolean;
  /** What the workspace was charged in a month, by its counters. */
  chargedIn(month: string): Amount;
}

/** What a workspace was charged, and what is reserved for requests under way. */
export class Account {
  private charged: Amount;
  private month: string;
  private monthCharged: Amount;
  /** For requests under way. In memory only: with the process, they end. */
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

  /** Why the workspace is paused; null where it is not. */
  pause({ granted, budget }: Workspace, now: number): Pause | null {
    this.turnMonth(now);
    if (granted - this.charged <= 0n) return 'out_of_credit';
    return budget !== null && this.monthCharged >= budget ? 'budget_exceeded' : null;
  }

  /** Why an amount cannot be reserved; null where it can. Reserves nothing. */
  lacks(amount: Amount, { granted, budget }: Workspace, now: number): Pause | null {
    this.turnMonth(now);
    const held = this.reserved + amount;
    if (granted - this.charged < held) return 'out_of_credit';
    return budget !== null && this.monthCharged + held > budget ? 'budget_exceeded' : null;
  }

  reserve(amount: Amount): void {
    this.reserved += amount;
  }

  release(amount: Amount): void {
    this.reserved -= amount;
  }

  /** The day to which a charge counts, which is one of the account's month. */
  dayToCharge(now: number): string {
    this.turnMonth(now);
    return monthOf(now) === this.month ? dayOf(now) : `${this.month}-01`;
  }

  /** To the month of the last `dayToCharge`. */
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

  /** Also back, where the calendar was wrong for a while: every month has its own counters, and so its own sum. */
  private turnMonth(now: number): void {
    const month = monthOf(now);
    if (month === this.month || !this.deps.isCertain()) return;
    this.monthCharged = this.deps.chargedIn(month);
    this.month = month;
  }
}
