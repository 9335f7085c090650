import { type Clock, nextTurn } from '../../../base/index.js';
import type { Database } from '../postgres/database.js';
import { DatabaseUnavailable } from '../postgres/database-errors.js';
import { SessionLost } from '../session/fence.js';
import type { Session } from '../session/session.js';
import { exchangeCertainly } from './certain-exchange.js';
import type { ExchangeResult } from './exchange.js';
import type { Holdings, Settled, Taken } from './holdings.js';
import type { LedgerPart, TakenChanges } from './part.js';

/** Charges are written together, this many milliseconds after the first of them. */
export const FLUSH_DELAY_MS = 50;
/** The first pause after an exchange that failed, in milliseconds; it doubles up to the longest. */
const RETRY_MS = 50;
const RETRY_MS_MAX = 1_000;
/** While other nodes may return credit, exchanges are repeated after a random pause between these, in milliseconds. */
const REPEAT_MS_MIN = 20;
const REPEAT_MS_MAX = 50;

interface Parts {
  readonly database: Database;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** Returns 0 ≤ x < 1. */
  readonly random: () => number;
  readonly session: Pick<Session, 'nodes' | 'lost' | 'fail'>;
  /** The holdings of the current session; null if there is none. */
  holdings(): Holdings | null;
  /** Called after an exchange. `exact`: the workspaces whose leases it has made exact. */
  onExchanged(settled: Settled, exact: readonly string[]): void;
  /** Called with the error of an exchange that failed. It is tried again. */
  onError(error: unknown): void;
}

/** An exchange in progress. */
interface Exchanging {
  readonly holdings: Holdings;
  readonly taken: Taken;
  readonly changes: readonly TakenChanges[];
}

/**
 * Exchanges charges and credit with the database, one transaction at a time. A transaction includes everything that waits
 * when it begins. If the database is unavailable, the exchange is tried again. Any other error ends the session, because
 * every further attempt would fail too, and the node would never answer again.
 */
export class ExchangeLoop {
  private readonly joined: LedgerPart[] = [];
  private running: Promise<void> | null = null;
  /** The exchange after the one in progress, if `flush` waits for it. */
  private following: Promise<void> | null = null;
  /** When the first exchange after the last successful one began, in monotonic milliseconds; null if none did. */
  private unsuccessfulSince: number | null = null;
  private failures = 0;
  private isLeaving = false;
  private isStopped = false;
  /** When the timer of the next exchange fires, in monotonic milliseconds. */
  private due = Number.POSITIVE_INFINITY;
  private cancelTimer = () => {};
  private isDueNow = false;

  constructor(private readonly parts: Parts) {}

  /** Adds a part to every exchange. The part calls `after` when it has something to write. */
  join(part: LedgerPart): void {
    this.joined.push(part);
  }

  /** Milliseconds since the first exchange after the last successful one began; 0 if none did. */
  get unsuccessfulMs(): number {
    if (this.unsuccessfulSince === null) return 0;
    return this.parts.clock.monotonic() - this.unsuccessfulSince;
  }

  /** Whether the last exchange failed. */
  get isFailing(): boolean {
    return this.failures > 0;
  }

  /** Exchanges in the next turn of the event loop, or when the exchange in progress has ended. */
  soon(): void {
    if (this.isDueNow) return;
    this.isDueNow = true;
    void this.ended()
      .then(nextTurn)
      .then(() => {
        this.isDueNow = false;
        this.begin();
      });
  }

  /** Exchanges after some milliseconds, or earlier. */
  after(ms: number): void {
    const due = this.parts.clock.monotonic() + ms;
    if (due >= this.due) return;
    this.cancelTimer();
    this.due = due;
    this.cancelTimer = this.parts.clock.after(ms, () => {
      this.due = Number.POSITIVE_INFINITY;
      this.begin();
    });
  }

  /** Resolves when everything that waits now is written. Throws DatabaseUnavailable, SessionLost. */
  async flush(): Promise<void> {
    if (this.running === null) return this.run();
    // The exchange in progress may have begun before the last charge. If it fails, the next one includes its charges. All
    // callers share the next one.
    this.following ??= this.ended().then(() => {
      this.following = null;
      return this.running ?? this.run();
    });
    return this.following;
  }

  /** From now on, an exchange in progress fails if the database does not answer, instead of waiting for it. */
  leave(): void {
    this.isLeaving = true;
  }

  /** Begins no more exchanges, and waits for the one in progress. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancelTimer();
    await this.ended();
  }

  private async ended(): Promise<void> {
    await this.running?.catch(() => {});
  }

  private begin(): void {
    if (this.isStopped) return;
    if (this.running !== null) this.soon();
    // `repeat` reports the error and schedules another attempt; or the session has ended, which reports it.
    else this.run().catch(() => {});
  }

  private run(): Promise<void> {
    this.running = this.exchangeAll().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async exchangeAll(): Promise<void> {
    const holdings = this.parts.holdings();
    if (holdings === null) return;
    try {
      const exchanging = this.take(holdings);
      if (exchanging === null) return;
      let results: ReadonlyMap<string, ExchangeResult>;
      try {
        results = await this.write(exchanging);
      } catch (error) {
        if (error instanceof DatabaseUnavailable) this.repeat(exchanging, error);
        throw error;
      }
      holdings.exchanges += 1;
      this.succeeded(exchanging, results);
    } catch (error) {
      throw error instanceof DatabaseUnavailable ? error : this.endSession(holdings, error);
    }
  }

  /** What the next exchange must write; null if there is nothing. */
  private take(holdings: Holdings): Exchanging | null {
    const now = this.parts.clock.monotonic();
    const taken = holdings.take(now);
    const changes = this.joined.map((part) => part.take()).filter((part) => part !== null);
    if (taken.requests.size === 0 && changes.length === 0) {
      // The requests of the exchange that failed before have given up.
      this.forgetFailures();
      return null;
    }
    this.unsuccessfulSince ??= now;
    return { holdings, taken, changes };
  }

  private write({ holdings, taken, changes }: Exchanging): Promise<ReadonlyMap<string, ExchangeResult>> {
    const { database, session, clock, onError } = this.parts;
    const pause = (failures: number) =>
      new Promise<void>((resolve) => clock.after(retryMs(failures), resolve));
    const isOver = () => this.isLeaving;
    const { session: id, exchanges } = holdings;
    const work = { ...taken, session: id, number: exchanges + 1, nodes: session.nodes, parts: changes };
    return exchangeCertainly(database, work, { pause, isOver, onError });
  }

  private succeeded(
    { holdings, taken, changes }: Exchanging,
    results: ReadonlyMap<string, ExchangeResult>,
  ): void {
    this.forgetFailures();
    if (holdings !== this.parts.holdings()) return;
    for (const change of changes) this.call(() => change.written());
    const settled = holdings.settle(taken, results, this.parts.clock.monotonic());
    if (settled.mustReturn) this.soon();
    if (settled.mustWait) this.after(this.repeatMs());
    const exact = [...results].flatMap(([workspace, { becameExact }]) => (becameExact ? [workspace] : []));
    this.call(() => this.parts.onExchanged(settled, exact));
  }

  /** Reports what a listener throws: if it was thrown, the written exchange would count as failed and be written again. */
  private call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.parts.onError(error);
    }
  }

  /** The exchange was not written, and is tried again. */
  private repeat({ holdings, taken, changes }: Exchanging, error: DatabaseUnavailable): void {
    this.failures += 1;
    this.parts.onError(error);
    if (holdings !== this.parts.holdings()) return;
    holdings.putBack(taken);
    for (const change of changes) change.lost();
    this.after(retryMs(this.failures));
  }

  /** Ends the session of the holdings, which drops them. Returns the error for those who wait for the exchange. */
  private endSession({ session: id }: Holdings, error: unknown): SessionLost {
    this.forgetFailures();
    const { session } = this.parts;
    if (error instanceof SessionLost) {
      session.lost(id);
      return error;
    }
    session.fail(id, error);
    return new SessionLost(id, { cause: error });
  }

  private forgetFailures(): void {
    this.unsuccessfulSince = null;
    this.failures = 0;
  }

  private repeatMs(): number {
    return REPEAT_MS_MIN + this.parts.random() * (REPEAT_MS_MAX - REPEAT_MS_MIN);
  }
}

const retryMs = (failures: number) => Math.min(RETRY_MS * 2 ** (failures - 1), RETRY_MS_MAX);
