import {
  type AccountBalance,
  budgetMonths,
  type Caller,
  type Charge,
  costOf,
  type Ledger,
  type Pause,
  pausedError,
  type Reservation,
  refuse,
  sumPrices,
  type UsageSum,
  type Workspace,
} from '../../../access/index.js';
import { ApiError } from '../../../api/index.js';
import type { Database } from '../postgres/database.js';
import { DatabaseUnavailable } from '../postgres/database-errors.js';
import { listen } from '../postgres/listen.js';
import { type Queryable, statement } from '../postgres/statement.js';
import { SessionDefect } from '../session/defect.js';
import { SessionLost } from '../session/fence.js';
import type { Session } from '../session/session.js';
import { ExchangeLoop, FLUSH_DELAY_MS } from './exchange-loop.js';
import { Holdings } from './holdings.js';
import { AccountReader, readRecalled, readUsageOf } from './money-rows.js';
import type { LedgerPart } from './part.js';
import { costTo, reservationOf, type Settling } from './reservation.js';

/** Once no exchange has succeeded for this many milliseconds, requests are refused. */
const UNWRITTEN_MS_MAX = 5_000;
/** Why they are refused. */
export const UNWRITTEN = 'The server cannot write charges to its database.';
/** Why a request that only reads is refused. */
const UNREAD = 'The server cannot read accounts from its database.';
/** The longest wait of a request for credit of other nodes, in milliseconds. The lease of a dead node returns earlier. */
export const WAIT_MS_MAX = 15_000;
/** The longest wait of a request that only reads, in milliseconds. */
const READ_MS_MAX = 5_000;
/** The most requests of one workspace that wait for credit. */
export const WAITING_MAX = 4_096;
/**
 * How long a node that stops tries to write its last charges, in milliseconds, and its pause between two tries: a database
 * that restarts is back within seconds. Whatever ends the process must wait 30 s after `http.drain_ms`, and the last wave
 * needs a part of them.
 */
export const LAST_WRITE_MS = 15_000;
const LAST_RETRY_MS = 250;
/** The interval at which requests that have waited for too long are failed, in milliseconds. */
const CHECK_MS = 250;
/** How many of these intervals are between two polls for recalls, and between two returns of unused credit. */
const CHECKS_PER_POLL = 2;
const CHECKS_PER_SWEEP = 4;

/** The channel of notifications that unused credit must be returned. The payload is the workspace. */
const CHANNEL = 'decider_credit';
const NOTIFY = statement('ledger-notify', 'SELECT pg_notify($1, $2)');

interface Parts {
  /** Should have connections of its own: requests wait for charges, which must not wait for other statements. */
  readonly database: Database;
  /** For the reads of callers; `database` if absent. */
  readonly reading?: Queryable;
  readonly session: Pick<
    Session,
    'id' | 'nodes' | 'isServing' | 'refusal' | 'lost' | 'fail' | 'onLost' | 'clock'
  >;
  /** Returns 0 ≤ x < 1. */
  readonly random: () => number;
  /** Called with the error of an exchange that failed. It is tried again. */
  onError(error: unknown): void;
  /** Receives notifications; see `listen`. They only make a poll happen earlier. */
  readonly listen?: typeof listen;
}

/**
 * The ledger of one node of a cluster. The node leases credit from the database and reserves against its lease. A request
 * waits for the database only if the lease does not cover it. Charges are kept in memory and written together, after
 * FLUSH_DELAY_MS. A node that dies loses at most the unwritten charges, in the customer's favour. If the books of the node
 * do not add up (SessionDefect), its session ends with all that it holds, and the request is refused.
 */
export class DatabaseLedger implements Ledger, Settling {
  private readonly loop: ExchangeLoop;
  private readonly fundsListeners: (() => void)[] = [];
  private current: Holdings | null = null;
  private readonly reading: Queryable;
  private readonly accounts: AccountReader;
  private checks = 0;
  private cancelCheck = () => {};
  private stopListening = async () => {};

  constructor(private readonly parts: Parts) {
    const { database, session, random, onError } = parts;
    this.loop = new ExchangeLoop({
      database,
      clock: session.clock,
      random,
      session,
      holdings: () => this.holdings,
      onExchanged: ({ hasFunds }, exact) => {
        if (hasFunds) for (const listener of this.fundsListeners) listener();
        for (const workspace of exact) this.notify(workspace);
      },
      onError,
    });
    this.reading = parts.reading ?? database;
    this.accounts = new AccountReader(this.reading);
    session.onLost(() => this.drop());
  }

  /** Begins to receive notifications and to poll. */
  start(): void {
    const { database, session, listen: listenTo = listen } = this.parts;
    this.stopListening = listenTo(
      database,
      [CHANNEL],
      (_, workspace) => (workspace === '' ? void this.pollRecalls() : this.recall(workspace)),
      session.clock,
    );
    this.checkLater();
  }

  /**
   * Writes the charges, and stops. Throws DatabaseUnavailable if the database stays away for `patienceMs`. The end of the
   * session returns the leases.
   */
  async stop(patienceMs: number = LAST_WRITE_MS): Promise<void> {
    this.cancelCheck();
    this.loop.leave();
    try {
      await this.flushLast(patienceMs);
    } finally {
      await this.loop.stop();
      this.current?.failWaiting(Number.POSITIVE_INFINITY);
      await this.stopListening();
    }
  }

  private async flushLast(patienceMs: number): Promise<void> {
    const { clock } = this.parts.session;
    const end = clock.monotonic() + patienceMs;
    for (;;) {
      try {
        return await this.flush();
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || clock.monotonic() >= end) throw error;
        await new Promise<void>((resolve) => clock.after(LAST_RETRY_MS, resolve));
      }
    }
  }

  checkPaused(workspace: Workspace): void {
    refuse(this.pause(workspace));
  }

  /** Throws, or rejects with, ApiError `out_of_credit`, `budget_exceeded`, `overloaded`. */
  reserve(caller: Caller, charge: Charge): Reservation | Promise<Reservation> {
    const holdings = this.serving();
    const cost = costTo(caller, charge);
    const reserved = this.sound(holdings, () => {
      const credit = holdings.credit(cost.workspace);
      if (credit.reserve(cost.amount, this.now())) return reservationOf(holdings, cost, this);
      if (credit.waitingCount >= WAITING_MAX)
        throw overloaded('Too many requests of the workspace wait for credit.');
      this.loop.soon();
      return new Promise<Reservation>((resolve, reject) => {
        credit.wait({
          cost: cost.amount,
          since: this.now(),
          granted: () => resolve(reservationOf(holdings, cost, this)),
          refused: (pause) => reject(pausedError(pause)),
          failed: () => reject(notInTime()),
        });
      });
    });
    return reserved ?? this.refuseLost();
  }

  reserveLine(caller: Caller, charge: Charge): Reservation | null {
    const holdings = this.canServe ? this.holdings : null;
    if (holdings === null) return null;
    const cost = costTo(caller, charge);
    return this.sound(holdings, () => {
      if (holdings.credit(cost.workspace).reserveLine(cost.amount, this.now()))
        return reservationOf(holdings, cost, this);
      this.loop.soon();
      return null;
    });
  }

  covers({ workspace: { id } }: Caller, charge: Charge): boolean {
    const holdings = this.canServe ? this.holdings : null;
    if (holdings === null) return false;
    if (holdings.credit(id).coversLine(costOf(charge))) return true;
    this.loop.soon();
    return false;
  }

  /** By the last exchange and the charges of this node since; `reserve` uses the database. */
  pause(workspace: Workspace): Pause | null {
    const { clock } = this.parts.session;
    return this.holdings?.pause(workspace, budgetMonths(clock.now(), clock.settled())) ?? null;
  }

  /**
   * Reads the account. Does not include what other nodes have reserved, or have charged and not written yet. Rejects with
   * ApiError `overloaded`.
   */
  async balance({ id, granted }: Workspace): Promise<AccountBalance> {
    const account = await this.afterFlush(() => this.accounts.read(id));
    const { reserved = 0n, unwritten = 0n } = this.holdings?.find(id)?.book ?? {};
    const charged = (account?.charged ?? 0n) + unwritten;
    const monthCharged = (account?.monthCharged ?? 0n) + unwritten;
    return { credit: granted - charged - reserved, charged, reserved, monthCharged };
  }

  /** Does not include what other nodes have charged and not written yet. Rejects with ApiError `overloaded`. */
  async usageOf({ key, workspace }: Caller, days: readonly string[]): Promise<UsageSum[]> {
    const read = () => readUsageOf(this.reading, workspace.id, key.id, days);
    return sumPrices(await this.afterFlush(read));
  }

  onFunds(listener: () => void): void {
    this.fundsListeners.push(listener);
  }

  get writable(): boolean {
    return !this.loop.isFailing && this.parts.session.isServing;
  }

  flush(): Promise<void> {
    return this.loop.flush();
  }

  /** Adds a part to every transaction. The part calls `changed` when it has something to write. */
  join(part: LedgerPart): void {
    this.loop.join(part);
  }

  /** Schedules a write. */
  changed(): void {
    this.loop.after(FLUSH_DELAY_MS);
  }

  checkChargeable(holdings: Holdings): void {
    if (holdings !== this.holdings || !this.parts.session.isServing) this.refuseLost();
  }

  sound<Result>(holdings: Holdings, change: () => Result): Result | null {
    try {
      return change();
    } catch (error) {
      if (!(error instanceof SessionDefect)) throw error;
      this.parts.session.fail(holdings.session, error);
      return null;
    }
  }

  settled(holdings: Holdings, workspace: string): void {
    if (holdings !== this.current) return;
    const { book } = holdings.credit(workspace);
    if (book.isExact && book.free > 0n) this.loop.soon();
    else if (holdings.hasCharges) this.changed();
  }

  /** The holdings of the current session; null if there is none. */
  private get holdings(): Holdings | null {
    const { id } = this.parts.session;
    if (id === null) return null;
    if (this.current?.session !== id) this.current = new Holdings(id);
    return this.current;
  }

  /** Whether requests can be charged: the session is alive, and what was charged before can be written. */
  get canServe(): boolean {
    const { loop, parts } = this;
    return (
      parts.session.isServing && loop.unsuccessfulMs <= UNWRITTEN_MS_MAX && this.current?.isFull !== true
    );
  }

  /** Reads for a request, after everything charged so far is written. Rejects with ApiError `overloaded`. */
  private async afterFlush<Result>(read: () => Promise<Result>): Promise<Result> {
    let cancel = () => {};
    const late = new Promise<never>((_, reject) => {
      cancel = this.parts.session.clock.after(READ_MS_MAX, () => reject(notInTime()));
    });
    const orRefused = (message: string) => (error: unknown) => {
      if (error instanceof DatabaseUnavailable || error instanceof SessionLost) throw this.refused(message);
      throw error;
    };
    const result = this.flush().catch(orRefused(UNWRITTEN)).then(read).catch(orRefused(UNREAD));
    try {
      return await Promise.race([result, late]);
    } finally {
      cancel();
    }
  }

  private refused(message: string): ApiError {
    return overloaded(this.parts.session.refusal ?? message);
  }

  private refuseLost(): never {
    throw overloaded('The server has lost its connection to the database.');
  }

  private serving(): Holdings {
    const holdings = this.canServe ? this.holdings : null;
    if (holdings === null) throw this.refused(UNWRITTEN);
    return holdings;
  }

  /** Drops everything that the lost session held. */
  private drop(): void {
    const lost = this.current;
    this.current = null;
    lost?.failWaiting(Number.POSITIVE_INFINITY);
  }

  private now(): number {
    return this.parts.session.clock.monotonic();
  }

  private checkLater(): void {
    this.cancelCheck = this.parts.session.clock.after(CHECK_MS, () => {
      this.check();
      this.checkLater();
    });
  }

  private check(): void {
    const { holdings } = this;
    if (holdings === null) return;
    this.checks += 1;
    holdings.failWaiting(this.canServe ? this.now() - WAIT_MS_MAX : Number.POSITIVE_INFINITY);
    if (this.checks % CHECKS_PER_POLL === 0) void this.pollRecalls();
    if (this.checks % CHECKS_PER_SWEEP !== 0) return;
    holdings.sweep();
    this.loop.soon();
  }

  private recall(workspace: string): void {
    if (this.current?.recall(workspace)) this.loop.soon();
  }

  private async pollRecalls(): Promise<void> {
    const workspaces = this.current?.recallable ?? [];
    if (workspaces.length === 0) return;
    // Without an answer, the next poll tries again.
    const recalled = await readRecalled(this.parts.database, workspaces).catch(() => []);
    for (const workspace of recalled) this.recall(workspace);
  }

  private notify(workspace: string): void {
    // Other nodes also poll, so the notification may fail.
    this.parts.database.query(NOTIFY, [CHANNEL, workspace]).catch(() => {});
  }
}

const notInTime = () => overloaded('The database did not answer in time.');

const overloaded = (message: string) => new ApiError('overloaded', message, { retryAfterSeconds: 1 });
