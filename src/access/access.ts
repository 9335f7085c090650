import { type Clock, JUMP_LASTS_MS } from '../base/index.js';
import { authenticate, type Caller, type Directory } from './authenticate.js';
import { lastDays } from './dates.js';
import type { KeyUses } from './key-uses.js';
import { keyWorks } from './keys.js';
import type { AccountBalance, Ledger, Reservation } from './ledger.js';
import type { Charge } from './money.js';
import type { Pause } from './pause.js';
import type { RateLimits } from './rate-limit.js';
import type { RatesLeft } from './sliding-window.js';
import type { UsageSum } from './usage-report.js';
import type { Workspace } from './workspaces.js';

/** The holder of a key. */
interface Holder extends Caller {
  /** Whether the key works now. */
  readonly works: boolean;
  /** Whether the batches of the key end: it was revoked, has expired by a certain calendar, or its workspace is closed. */
  readonly hasEnded: boolean;
}

/** What a key was charged. Days are in UTC, such as `2026-11-21`; `from` and `to` are inclusive. */
export interface KeyUsage {
  readonly from: string;
  readonly to: string;
  /** A row per day, model and kind, in this order. */
  readonly rows: readonly UsageSum[];
}

/** What access is made of. */
interface AccessParts {
  readonly directory: Directory;
  readonly ledger: Ledger;
  readonly limiter: RateLimits;
  readonly clock: Clock;
  /** Records when `authenticate` accepts a key; absent: this is not recorded. */
  readonly uses?: KeyUses | undefined;
}

/** Authentication, rate limits and charges: what a request passes between its token and its answer. */
export class Access {
  private readonly directory: Directory;
  private readonly ledger: Ledger;
  private readonly limiter: RateLimits;
  private readonly clock: Clock;
  private readonly uses: KeyUses | undefined;

  constructor({ directory, ledger, limiter, clock, uses }: AccessParts) {
    this.directory = directory;
    this.ledger = ledger;
    this.limiter = limiter;
    this.clock = clock;
    this.uses = uses;
  }

  /** Throws ApiError `unauthorized`. `headers`: the values of all `Authorization` headers. */
  authenticate(headers: readonly string[]): Caller {
    const now = this.clock.settled();
    const caller = authenticate(headers, this.directory, now);
    this.uses?.note(caller.key.id, now);
    return caller;
  }

  /** Counts a request that costs money. Throws ApiError `out_of_credit`, `budget_exceeded`, `rate_limited`. */
  admit({ key, workspace }: Caller, bytes: number): void {
    this.ledger.checkPaused(workspace);
    this.limiter.take(key.id, bytes, workspace);
  }

  /** Counts a request that a paused key may make too. Throws ApiError `rate_limited`. */
  admitFree({ key, workspace }: Caller, bytes: number): void {
    this.limiter.take(key.id, bytes, workspace);
  }

  /** What a key may still send now. */
  ratesLeft({ key, workspace }: Caller): RatesLeft {
    return this.limiter.left(key.id, workspace);
  }

  /** The current holder of a key. */
  holder(keyId: string): Holder | undefined {
    this.directory.refresh();
    const key = this.directory.key(keyId);
    const workspace = key && this.directory.workspace(key.workspace);
    if (key === undefined || workspace === undefined) return undefined;
    const works = keyWorks(key, workspace, this.clock.settled());
    const isDecided = key.revoked !== null || workspace.closed !== null;
    const isCertain = isDecided || this.clock.certainFor() >= JUMP_LASTS_MS;
    return { key, workspace, works, hasEnded: !works && isCertain };
  }

  /** Why a workspace cannot be charged; null if it can. */
  pause(workspace: Workspace): Pause | null {
    return this.ledger.pause(workspace);
  }

  /** What is left of a workspace's credit, and what it was charged this month. */
  balance(workspace: Workspace): AccountBalance | Promise<AccountBalance> {
    return this.ledger.balance(workspace);
  }

  /** What a key was charged on the last `count` days, today included. Contains every charge so far. */
  async usage(caller: Caller, count: number): Promise<KeyUsage> {
    const days = lastDays(this.clock.now(), count);
    const rows = (await this.ledger.usageOf(caller, days)).sort(byDayModelKind);
    return { from: days[0] as string, to: days.at(-1) as string, rows };
  }

  /** Reserves the cost of a batch line. Null: credit or budget do not cover it now, and the line must wait. */
  reserveLine(caller: Caller, charge: Charge): Reservation | null {
    return this.ledger.reserveLine(caller, charge);
  }

  /** Whether a charge could be reserved now. */
  covers(caller: Caller, charge: Charge): boolean {
    return this.ledger.covers(caller, charge);
  }

  /** Calls the listener when credit or budget may cover a charge that they did not cover before. See `Ledger`. */
  onFunds(listener: () => void): void {
    this.ledger.onFunds(listener);
  }

  /** False while charges cannot be written. */
  get writable(): boolean {
    return this.ledger.writable;
  }

  /**
   * Throws, or rejects with, ApiError `out_of_credit` or `budget_exceeded`. Returns a promise only if it queries a
   * database.
   */
  reserve(caller: Caller, charge: Charge): Reservation | Promise<Reservation> {
    return this.ledger.reserve(caller, charge);
  }

  /** Resolves when everything charged so far is written. */
  flush(): Promise<void> {
    return this.ledger.flush();
  }
}

function byDayModelKind(one: UsageSum, other: UsageSum): number {
  const [first, second] = [one, other].map(({ day, model, kind }) => [day, model, kind].join('\0'));
  return (first as string) < (second as string) ? -1 : 1;
}
