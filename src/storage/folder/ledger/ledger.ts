import {
  type AccountBalance,
  type BudgetMonths,
  budgetMonths,
  type Caller,
  type Charge,
  costOf,
  type Directory,
  dayOf,
  type Ledger,
  type Pause,
  type Reservation,
  refuse,
  sumPrices,
  type UsageSum,
  type Workspace,
} from '../../../access/index.js';
import { ApiError } from '../../../api/index.js';
import type { Clock } from '../../../base/index.js';
import type { Store } from '../lmdb/store.js';
import type { RawWrite } from '../lmdb/writes.js';
import { Account } from './account.js';
import { UsageCounters } from './counters.js';
import type { LedgerPart } from './part.js';

/** Charges are written together, this many milliseconds after the first of them. */
export const FLUSH_DELAY_MS = 50;
/** The pause before a failed write is tried again, in milliseconds. */
export const FLUSH_RETRY_MS = 1_000;
/** Once a charge has waited this many milliseconds for the disk, requests are refused. */
export const UNWRITTEN_MS_MAX = 5_000;
/** Why they are refused. */
export const UNWRITTEN = 'The server cannot write charges to its data folder.';
/**
 * The interval of readings of the clock while a charge waits, in milliseconds. A reading that is STOPPED_MS_MIN late means
 * that the process was stopped.
 */
const CHECK_MS = 500;
const STOPPED_MS_MIN = 1_000;

/**
 * The ledger of a data folder that this process alone serves. Charges count in memory at once and are on the disk within
 * FLUSH_DELAY_MS and a commit. A crash loses at most those charges, in the customer's favour. Account and counters change
 * in one transaction.
 */
export class FolderLedger implements Ledger {
  private readonly accounts = new Map<string, Account>();
  private readonly usage: UsageCounters;
  private readonly parts: LedgerPart[];
  /** Whether the last write failed. */
  private troubled = false;
  /** Workspaces whose account has changed since it was last written. */
  private dirty = new Set<string>();
  /** The time of the oldest charge that waits for a write, and of the oldest in the write in progress. */
  private waitingSince: number | null = null;
  private writingSince: number | null = null;
  /** When the clock was last read; null if no charge waits. */
  private checkedAt: number | null = null;
  private flushing: Promise<void> | null = null;
  private cancelFlush = () => {};

  constructor(
    private readonly store: Store,
    private readonly directory: Directory,
    private readonly clock: Clock,
    /** Called with the error when charges cannot be written. */
    private readonly onError: (error: unknown) => void,
  ) {
    this.usage = new UsageCounters(store);
    this.parts = [this.usage];
  }

  checkPaused(workspace: Workspace): void {
    refuse(this.pause(workspace));
  }

  /** Throws ApiError `out_of_credit` or `budget_exceeded`; `overloaded` if charges have waited too long for the disk. */
  reserve(caller: Caller, charge: Charge): Reservation {
    if (!this.canServe) throw new ApiError('overloaded', UNWRITTEN, { retryAfterSeconds: 1 });
    refuse(this.lacks(caller, charge));
    return this.hold(caller, charge);
  }

  reserveLine(caller: Caller, charge: Charge): Reservation | null {
    return this.lacks(caller, charge) === null ? this.hold(caller, charge) : null;
  }

  covers(caller: Caller, charge: Charge): boolean {
    return this.lacks(caller, charge) === null;
  }

  /** Why a charge cannot be reserved now; null if it can. */
  private lacks({ workspace: { id } }: Caller, charge: Charge): Pause | null {
    // Credit may have changed since the caller was authenticated.
    this.directory.refresh();
    const workspace = this.directory.workspace(id);
    if (workspace === undefined) throw new Error('the workspace of a caller is missing');
    return this.account(id).lacks(costOf(charge), workspace, this.months(this.clock.now()));
  }

  private hold({ key, workspace: { id } }: Caller, charge: Charge): Reservation {
    const amount = costOf(charge);
    const account = this.account(id);
    account.reserve(amount);
    let open = true;
    const settle = () => {
      if (!open) throw new Error('a reservation was settled twice');
      open = false;
      account.release(amount);
    };
    return {
      post: () => {
        settle();
        this.charge(key.id, id, charge);
      },
      release: settle,
    };
  }

  private charge(key: string, workspace: string, charge: Charge): void {
    const amount = costOf(charge);
    const now = this.clock.now();
    const account = this.account(workspace);
    account.charge(amount, this.months(now), () =>
      this.usage.add(workspace, key, dayOf(now), charge, amount),
    );
    this.dirty.add(workspace);
    this.changed();
  }

  pause(workspace: Workspace): Pause | null {
    return this.account(workspace.id).pause(workspace, this.months(this.clock.now()));
  }

  balance(workspace: Workspace): AccountBalance {
    return this.account(workspace.id).balance(workspace, this.months(this.clock.now()));
  }

  async usageOf({ key, workspace }: Caller, days: readonly string[]): Promise<UsageSum[]> {
    return sumPrices(await this.usage.ofKey(workspace.id, key.id, days));
  }

  /** Never calls the listener: no other process writes charges, and every look-up sees new grants. */
  onFunds(): void {}

  /** Adds a part to every transaction. The part calls `changed` when it has something to write. */
  join(part: LedgerPart): void {
    this.parts.push(part);
  }

  /** Schedules a write. */
  changed(): void {
    if (this.waitingSince !== null) return;
    this.waitingSince = this.clock.monotonic();
    if (this.checkedAt === null) {
      this.checkedAt = this.waitingSince;
      this.checkAgain();
    }
    this.flushAfter(FLUSH_DELAY_MS);
  }

  /** False while writes to the disk fail. */
  get writable(): boolean {
    return !this.troubled;
  }

  /** Whether requests can be charged: no charge has waited too long for the disk. */
  get canServe(): boolean {
    this.check();
    const since = this.writingSince ?? this.waitingSince;
    return since === null || this.clock.monotonic() - since <= UNWRITTEN_MS_MAX;
  }

  /** Resolves when everything charged so far is on the disk. Rejects with StoreError. */
  async flush(): Promise<void> {
    this.cancelFlush();
    // If that write fails, this one takes over its charges.
    while (this.flushing !== null) await this.flushing.catch(() => {});
    if (this.waitingSince === null) return;
    this.flushing = this.write().finally(() => {
      this.flushing = null;
    });
    await this.flushing;
  }

  private async write(): Promise<void> {
    const dirty = this.dirty;
    this.dirty = new Set();
    this.writingSince = this.waitingSince;
    this.waitingSince = null;
    const accounts = this.store.table('accounts');
    const writes: RawWrite[] = [...dirty].map((id) => accounts.write([id], this.account(id).row()));
    const taken = this.parts.map((part) => part.take());
    try {
      await this.store.write(
        [...writes, ...taken.flatMap((part) => part.writes)],
        taken.flatMap((part) => part.entries ?? []),
      );
      this.troubled = false;
      const today = dayOf(this.clock.now());
      for (const part of taken) part.written(today);
    } catch (error) {
      this.troubled = true;
      for (const part of taken) part.lost();
      for (const id of dirty) this.dirty.add(id);
      this.waitingSince = this.writingSince;
      this.onError(error);
      this.flushAfter(FLUSH_RETRY_MS);
      throw error;
    } finally {
      this.writingSince = null;
    }
  }

  private flushAfter(ms: number): void {
    this.cancelFlush();
    this.cancelFlush = this.clock.after(ms, () => {
      // `write` reports the error and schedules another attempt.
      this.flush().catch(() => {});
    });
  }

  /** Does not count the time during which the process was stopped (SIGSTOP) and could not write. */
  private check(): void {
    if (this.checkedAt === null) return;
    const now = this.clock.monotonic();
    const missed = now - this.checkedAt - CHECK_MS;
    this.checkedAt = now;
    if (missed < STOPPED_MS_MIN) return;
    if (this.waitingSince !== null) this.waitingSince += missed;
    if (this.writingSince !== null) this.writingSince += missed;
  }

  private checkAgain(): void {
    this.clock.after(CHECK_MS, () => {
      this.check();
      if ((this.writingSince ?? this.waitingSince) === null) this.checkedAt = null;
      else this.checkAgain();
    });
  }

  private months(now: number): BudgetMonths {
    return budgetMonths(now, this.clock.settled());
  }

  private account(id: string): Account {
    const known = this.accounts.get(id);
    if (known !== undefined) return known;
    const row = this.store.table('accounts').get(id);
    const months = this.months(this.clock.now());
    const account = new Account(row, months, (month) => this.usage.chargedIn(id, month));
    this.accounts.set(id, account);
    return account;
  }
}
