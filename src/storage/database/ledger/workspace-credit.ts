import type { Amount } from '../../../access/index.js';
import { ensure } from '../session/defect.js';
import type { Grant } from './grant.js';
import { type Exchange, LeaseBook } from './lease-book.js';
import { LineNeeds } from './line-needs.js';
import { RecentUse } from './recent-use.js';
import { type Waiter, Waiting } from './waiting.js';

/** What a node exchanges for one workspace. Frozen, with its arrays: requests and lines that come meanwhile are not in it. */
export interface Request {
  readonly exchange: Exchange;
  /** The costs of `waiters`, then those of `lines`. */
  readonly needs: readonly Amount[];
  /** Unused credit that the node requests beyond `needs`. */
  readonly wanted: Amount;
  readonly isExact: boolean;
  readonly waiters: readonly Waiter[];
  readonly lines: readonly Amount[];
}

/** What became of a request. */
export interface Outcome {
  /** Batch lines may be covered that were not before. */
  readonly hasFunds: boolean;
  /** Some needs are not decided: other nodes may return credit. */
  readonly mustWait: boolean;
}

/**
 * The credit of one workspace on one node: its lease, and the requests that wait for credit. It decides what the next
 * exchange requests. Pure: time is a parameter, in monotonic milliseconds.
 */
export class WorkspaceCredit {
  readonly book = new LeaseBook();
  private readonly waiting = new Waiting();
  private readonly lines = new LineNeeds();
  private readonly use = new RecentUse();
  /** Whether unused credit must be returned, because the workspace is near its limit. */
  private isRecalled = false;

  /** Requests that wait. */
  get waitingCount(): number {
    return this.waiting.count;
  }

  /** Whether nothing would be lost with this object. */
  get isUnused(): boolean {
    return this.book.isEmpty && this.waiting.count === 0 && this.lines.all.length === 0;
  }

  /** Whether the lease may have unused credit that was not recalled. */
  get mayBeRecalled(): boolean {
    return this.book.amount > 0n && !this.book.isExact && !this.isRecalled;
  }

  /** Reserves the cost of a request; false if the lease does not cover it. */
  reserve(cost: Amount, now: number): boolean {
    if (!this.book.reserve(cost)) return false;
    this.use.add(cost, now);
    return true;
  }

  /** Adds a request whose cost is not covered by the lease. */
  wait(waiter: Waiter): void {
    this.use.add(waiter.cost, waiter.since);
    this.waiting.add(waiter);
  }

  /** Reserves the cost of a batch line; if the lease does not cover it, requests it and returns false. */
  reserveLine(cost: Amount, now: number): boolean {
    this.book.release(this.lines.take());
    if (this.reserve(cost, now)) return true;
    this.lines.add(cost);
    return false;
  }

  /** Whether `reserveLine` would succeed. If not, requests the cost. */
  coversLine(cost: Amount): boolean {
    if (cost <= this.book.free + this.lines.held) return true;
    this.lines.add(cost);
    return false;
  }

  /** Returns all unused credit with the next exchange, because other nodes need it. */
  recall(): void {
    this.isRecalled = true;
  }

  /** Fails the requests that have waited since `until` or longer. */
  failWaiting(until: number): void {
    this.waiting.fail(until);
  }

  /**
   * Begins an exchange; null if none is needed.
   *
   * @param hasUsage whether counters of the workspace are to be written
   */
  open(now: number, hasUsage: boolean): Request | null {
    const { book, lines } = this;
    if (lines.isOverdue(now)) book.release(lines.take());
    this.waiting.serve((cost) => book.reserve(cost));
    const waiters = this.waiting.all;
    const needs = Object.freeze([...waiters.map(({ cost }) => cost), ...lines.all]);
    const mustReturn = book.isExact || this.use.isIdle(now);
    const isWhole = needs.length > 0 || this.isRecalled || mustReturn;
    const isNeeded =
      hasUsage || book.unwritten > 0n || needs.length > 0 || this.mustMark || (mustReturn && book.free > 0n);
    if (!isNeeded) return null;
    const wanted = isWhole ? this.use.wanted(now) : this.use.wanted(now) - book.free;
    return Object.freeze({
      exchange: book.begin(isWhole),
      needs,
      wanted: wanted > 0n && !this.use.isIdle(now) ? wanted : 0n,
      isExact: book.isExact,
      waiters,
      lines: lines.all,
    });
  }

  /** The exchange was written. Throws SessionDefect if the grant does not answer the request. */
  settle(request: Request, grant: Grant, now: number): Outcome {
    const { waiters, lines, needs } = request;
    const { answers, granted, reserved, leaseExact } = grant;
    const wasReserved = needs.reduce((sum, need, at) => (answers[at] === 'granted' ? sum + need : sum), 0n);
    ensure(answers.length === needs.length, 'an exchange does not have one answer for each need');
    ensure(reserved === wasReserved, 'an exchange did not reserve what it granted');
    this.book.settle(request.exchange, { granted, reserved, isExact: leaseExact });
    this.isRecalled = grant.accountExact && !leaseExact;
    const unclaimed = this.waiting.settle(waiters, (_, at) => answers[at] ?? 'wait');
    this.book.release(unclaimed);
    const answerOf = (at: number) => answers[waiters.length + at];
    this.lines.answered(lines.filter((_, at) => answerOf(at) !== 'wait'));
    const obtained = lines.filter((_, at) => answerOf(at) === 'granted');
    const held = obtained.reduce((sum, cost) => sum + cost, 0n);
    if (held > 0n) this.lines.hold(held, now);
    return { hasFunds: obtained.length > 0, mustWait: answers.includes('wait') };
  }

  /** The exchange was not written. */
  abandon(): void {
    this.book.abandon();
  }

  /** Whether the database must still record that the node keeps no unused credit. */
  private get mustMark(): boolean {
    return this.isRecalled && !this.book.isExact && this.book.amount > 0n;
  }
}
