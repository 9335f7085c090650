import type { Caller } from './authenticate.js';
import type { Amount, Charge } from './money.js';
import type { Pause } from './pause.js';
import type { UsageSum } from './usage-report.js';
import type { Workspace } from './workspaces.js';

/** The account of a workspace, including charges that are not written yet. */
export interface AccountBalance {
  /** Credit granted, minus charges and reservations. */
  readonly credit: Amount;
  readonly charged: Amount;
  /** Reserved for requests in progress. */
  readonly reserved: Amount;
  readonly monthCharged: Amount;
}

/** The reserved cost of one request. Call either `post` or `release`, once. */
export interface Reservation {
  /** Charges the amount. */
  post(): void;
  /** Returns the amount. */
  release(): void;
}

/**
 * The money of live requests and batch lines. The exact cost is reserved before a request runs and charged when it is
 * answered: there is no charge without an answer, and no answer beyond the credit.
 */
export interface Ledger {
  /** Throws ApiError `out_of_credit` or `budget_exceeded` if a workspace is paused. */
  checkPaused(workspace: Workspace): void;
  /**
   * Throws, or rejects with, ApiError `out_of_credit` or `budget_exceeded` if credit or budget do not cover the charge.
   * Returns a promise only if it queries a database.
   */
  reserve(caller: Caller, charge: Charge): Reservation | Promise<Reservation>;
  /** Reserves the cost of a batch line. Null: the charge is not covered now, and the line must wait. */
  reserveLine(caller: Caller, charge: Charge): Reservation | null;
  /** Whether `reserveLine` would reserve a charge now. */
  covers(caller: Caller, charge: Charge): boolean;
  /** Why a workspace is paused; null if it is not. */
  pause(workspace: Workspace): Pause | null;
  /** The account of a workspace. Returns a promise only if it queries a database. */
  balance(workspace: Workspace): AccountBalance | Promise<AccountBalance>;
  /** What a key was charged on some days, including charges that are not written yet: a row per day, model and kind. */
  usageOf(caller: Caller, days: readonly string[]): Promise<UsageSum[]>;
  /** Calls the listener when a charge that was not covered may be covered now, because of a change by another process. */
  onFunds(listener: () => void): void;
  /** False while charges cannot be written. */
  readonly writable: boolean;
  /** Resolves when everything charged so far is written. */
  flush(): Promise<void>;
}
