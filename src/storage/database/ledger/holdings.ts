import {
  type Amount,
  areSameMonths,
  type BudgetMonths,
  type Charge,
  type Pause,
  pauseOf,
  type Workspace,
} from '../../../access/index.js';
import { ensure } from '../session/defect.js';
import type { ExchangeResult, KnownAccount } from './exchange.js';
import { UnwrittenUsage, type UsageDelta } from './unwritten-usage.js';
import { type Request, WorkspaceCredit } from './workspace-credit.js';

/** The most counters of usage that wait to be written. Then requests are refused. */
export const UNWRITTEN_COUNTERS_MAX = 20_000;

interface Entry {
  readonly credit: WorkspaceCredit;
  /** The account after the last exchange. */
  account: KnownAccount | null;
}

/** Changes of the ledger that an exchange takes. */
export interface Taken {
  readonly requests: ReadonlyMap<string, Request>;
  readonly usage: readonly UsageDelta[];
}

/** What the results of an exchange mean for requests and batch lines that wait. */
export interface Settled {
  /** Batch lines may be covered that were not before. */
  readonly hasFunds: boolean;
  /** Some needs wait for other nodes. */
  readonly mustWait: boolean;
  /** Unused credit must be returned with the next exchange. */
  readonly mustReturn: boolean;
}

/** The credit, reservations and unwritten charges of one session. All of it ends with the session. */
export class Holdings {
  private readonly entries = new Map<string, Entry>();
  private readonly usage = new UnwrittenUsage();
  /** Workspaces that may have something to exchange. */
  private touched = new Set<string>();
  /** The number of the last exchange that was committed. */
  exchanges = 0;

  constructor(readonly session: number) {}

  /** The credit of a workspace, to be changed: the next exchange includes the workspace. */
  credit(workspace: string): WorkspaceCredit {
    this.touched.add(workspace);
    const known = this.entries.get(workspace);
    if (known !== undefined) return known.credit;
    const credit = new WorkspaceCredit();
    this.entries.set(workspace, { credit, account: null });
    return credit;
  }

  /** The credit of a workspace, to be read; undefined if the node has none. */
  find(workspace: string): WorkspaceCredit | undefined {
    return this.entries.get(workspace)?.credit;
  }

  /** Counts a charge that was posted. */
  count(workspace: string, key: string, charge: Charge, amount: bigint): void {
    this.touched.add(workspace);
    this.usage.add(workspace, key, charge, amount);
  }

  /** Whether no more charges should be made until some are written. */
  get isFull(): boolean {
    return this.usage.count >= UNWRITTEN_COUNTERS_MAX;
  }

  /** Whether there are charges that are not taken yet. */
  get hasCharges(): boolean {
    return this.usage.count > 0;
  }

  /** Why a workspace is paused, by the last exchange and the charges of this node since; null if it is not. */
  pause(workspace: Workspace, months: BudgetMonths): Pause | null {
    const { account = null, credit } = this.entries.get(workspace.id) ?? {};
    const unwritten = credit?.book.unwritten ?? 0n;
    const isCurrent = account === null || areSameMonths(account.months, months);
    return pauseOf(workspace, {
      charged: (account?.charged ?? 0n) + unwritten,
      // In other months, what is unwritten may still be of the last ones.
      budgetCharged: isCurrent ? (account?.budgetCharged ?? 0n) + unwritten : 0n,
    });
  }

  /** The workspaces with unused credit that was not recalled. */
  get recallable(): string[] {
    return [...this.entries].flatMap(([id, { credit }]) => (credit.mayBeRecalled ? [id] : []));
  }

  /** Returns the unused credit of a workspace with the next exchange; false if it has none to return. */
  recall(workspace: string): boolean {
    const entry = this.entries.get(workspace);
    if (!entry?.credit.mayBeRecalled) return false;
    entry.credit.recall();
    this.touched.add(workspace);
    return true;
  }

  /** Takes what the next exchange must write. `now`: monotonic milliseconds. Throws SessionDefect. */
  take(now: number): Taken {
    const usage = this.usage.take();
    const charged = new Map<string, Amount>();
    for (const { workspace, amount } of usage)
      charged.set(workspace, (charged.get(workspace) ?? 0n) + amount);
    const requests = new Map<string, Request>();
    const { touched } = this;
    this.touched = new Set();
    for (const workspace of touched) {
      const request = this.entries.get(workspace)?.credit.open(now, charged.has(workspace));
      if (!request) continue;
      const counted = charged.get(workspace) ?? 0n;
      ensure(
        counted === request.exchange.charged,
        'the counters of a workspace are not the sum of its charges',
      );
      requests.set(workspace, request);
    }
    return { requests, usage };
  }

  /** Applies the results of an exchange that was written. Throws SessionDefect. */
  settle({ requests }: Taken, results: ReadonlyMap<string, ExchangeResult>, now: number): Settled {
    const settled = { hasFunds: false, mustWait: false, mustReturn: false };
    for (const [workspace, request] of requests) {
      const entry = this.entries.get(workspace);
      const result = results.get(workspace);
      ensure(entry !== undefined && result !== undefined, 'an exchange has no result for a workspace');
      entry.account = result.account;
      const { hasFunds, mustWait } = entry.credit.settle(request, result.grant, now);
      settled.hasFunds ||= hasFunds;
      settled.mustWait ||= mustWait;
      const mustReturn = result.grant.accountExact && !result.grant.leaseExact;
      settled.mustReturn ||= mustReturn;
      if (mustWait || mustReturn) this.touched.add(workspace);
    }
    return settled;
  }

  /** Puts back what was taken for an exchange that was not written. */
  putBack({ requests, usage }: Taken): void {
    for (const workspace of requests.keys()) {
      this.entries.get(workspace)?.credit.abandon();
      this.touched.add(workspace);
    }
    this.usage.putBack(usage);
  }

  /** Includes every workspace in the next exchange, and removes unused ones from memory. Call it every second. */
  sweep(): void {
    for (const [workspace, { credit }] of this.entries) {
      if (credit.isUnused && !this.touched.has(workspace)) this.entries.delete(workspace);
      else this.touched.add(workspace);
    }
  }

  /** Fails the requests that have waited since `until`, in monotonic milliseconds, or longer. */
  failWaiting(until: number): void {
    for (const { credit } of this.entries.values()) credit.failWaiting(until);
  }
}
