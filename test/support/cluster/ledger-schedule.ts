import type { Amount, Reservation } from '../../../src/access/index.js';
import { ApiError } from '../../../src/api/index.js';
import { nextTurn } from '../../../src/base/index.js';
import { DatabaseLedger, WAIT_MS_MAX } from '../../../src/storage/database/ledger/ledger.js';
import type { Waiter } from '../../../src/storage/database/ledger/waiting.js';
import type { Session } from '../../../src/storage/database/session/session.js';
import { fakeClock } from '../fake-clock.js';
import { type Random, random } from '../random.js';
import { type Open, Reference, type Shown } from './ledger-reference.js';
import {
  accountIn,
  callerOf,
  chargeOf,
  LedgerTables,
  type Outcome,
  othersHoldUnused,
  type Rows,
  type Terms,
} from './ledger-tables.js';
import { checkBooks, OtherNode } from './other-node.js';

const WORKSPACES = ['one', 'two'];
/** A second before a month ends. */
const START = Date.parse('2026-11-30T23:59:59Z');
const COST_MAX = 12;
const FLOW_MAX = 400;

/** One node with a ledger on tables in memory, and what it must do: random steps at every point of its exchanges. */
export class Schedule {
  readonly log: string[] = [];
  private readonly source: Random;
  private readonly clock = fakeClock(START);
  private readonly tables: LedgerTables;
  private readonly ledger: DatabaseLedger;
  private readonly other: OtherNode;
  private readonly lostListeners: (() => void)[] = [];
  private sessionId: number | null = 1;
  private sessions = 1;
  private references = new Map<string, Reference>();
  private read: { readonly rows: Rows; readonly terms: Map<string, Terms>; readonly now: number } | null =
    null;
  private open: Open[] = [];
  private requests = 0;
  /** The requests without an answer, and what their answer must be once it is known. */
  private readonly pending = new Map<number, { readonly session: number; expected: string | null }>();
  private failure: Error | null = null;
  private posted = new Map<string, Amount>();
  private recall: (workspace: string) => void = () => {};
  private tookBack = false;
  /** How often the ledger had checked for requests that have waited for too long, when it had come to rest. */
  private checked = 0;

  constructor(seed: number) {
    this.source = random(seed);
    const watch = (change: () => void) => this.guarded(change);
    this.tables = new LedgerTables(() => this.clock.now(), {
      begun: () => watch(() => this.begun()),
      read: (rows) => {
        this.read = { rows, terms: new Map(this.tables.workspaces), now: this.clock.now() };
      },
      ended: (isWritten) => watch(() => this.ended(isWritten)),
    });
    this.other = new OtherNode(this.tables, this.source, () => this.clock.now());
    const { integer } = this.source;
    for (const workspace of WORKSPACES) {
      const budget = integer(3) === 0 ? BigInt(integer(200)) : null;
      const granted = BigInt(integer(integer(4) === 0 ? 3_000 : 150));
      this.tables.workspaces.set(workspace, { granted, budget });
    }
    this.tables.rows.nodes.set(1, 0);
    this.ledger = new DatabaseLedger({
      database: this.tables.database,
      session: this.session(),
      random: this.source.number,
      onError: (error) => this.note(String(error)),
      listen: (_database, _channels, onNotify) => {
        this.recall = (workspace) => onNotify('', workspace);
        return async () => {};
      },
    });
    this.ledger.start();
  }

  /** Runs so many random steps, and then until nothing is in progress. Throws if the ledger did anything wrong. */
  async run(steps: number): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      this.step();
      await this.settled();
    }
    for (let round = 0; !this.isQuiet; round += 1) {
      if (round === FLOW_MAX) throw new Error('the ledger does not come to rest');
      for (const open of this.open.splice(0)) this.post(open);
      for (const workspace of WORKSPACES) this.add(workspace, this.other.returnAll(workspace));
      if (this.tables.waiting === null) this.clock.advance(500);
      this.tables.waiting?.run('answered');
      await this.settled();
    }
    checkBooks(this.tables, this.posted, this.tookBack);
    await this.spendTheRest();
  }

  private session(): Pick<
    Session,
    'id' | 'nodes' | 'isServing' | 'refusal' | 'lost' | 'fail' | 'onLost' | 'clock'
  > {
    const schedule = this;
    return {
      get id() {
        return schedule.sessionId;
      },
      nodes: 2,
      refusal: null,
      get isServing() {
        return schedule.sessionId !== null;
      },
      lost: (session) => schedule.lost(session),
      fail: (_session, error) => {
        schedule.failure ??= error as Error;
      },
      onLost: (listener) => void schedule.lostListeners.push(listener),
      clock: this.clock as unknown as Session['clock'],
    };
  }

  private step(): void {
    const { integer, pick } = this.source;
    const workspace = pick(WORKSPACES);
    const cost = BigInt(1 + integer(integer(15) === 0 ? 10 * COST_MAX : COST_MAX));
    const dice = integer(100);
    if (dice < 14) this.reserve(workspace, cost);
    else if (dice < 24) this.line(workspace, cost);
    else if (dice < 26) this.covers(workspace, cost);
    else if (dice < 40) this.settle();
    else if (dice < 76) this.proceed();
    else if (dice < 88) this.clock.advance(pick([1, 25, 50, 250, 1_000]));
    else if (dice < 92) this.other.take(workspace, BigInt(integer(60)));
    else if (dice < 95) this.add(workspace, this.other.returnAll(workspace));
    else if (dice < 97) this.recall(workspace);
    else if (dice < 98) this.change(workspace, BigInt(integer(150) - 40));
    else if (dice < 99) this.clock.advance(pick([5_000, 16_000]));
    else this.expire();
  }

  /** Lets the statement that waits run. */
  private proceed(): void {
    const { waiting } = this.tables;
    if (waiting === null) return;
    const luck = this.source.integer(40);
    const bad: readonly Outcome[] = waiting.isCommit ? ['cut before', 'cut after'] : ['refused'];
    const outcome = luck === 0 || (luck < 4 && waiting.isCommit) ? this.source.pick(bad) : 'answered';
    this.note(`${waiting.isCommit ? 'commit' : 'statement'} ${outcome}`);
    waiting.run(outcome);
  }

  private reserve(workspace: string, cost: Amount): void {
    const reference = this.referenceOf(workspace);
    this.requests += 1;
    const id = this.requests;
    const { canServe } = this.ledger;
    this.note(`request ${id} of ${workspace} for ${cost}`);
    let answer: Reservation | Promise<Reservation>;
    try {
      answer = this.ledger.reserve(callerOf(workspace), chargeOf(cost));
    } catch (error) {
      if (canServe) throw error;
      return;
    }
    if (!canServe) throw new Error('a request was accepted that could not be charged');
    const session = this.sessionId as number;
    if (answer instanceof Promise) {
      if (cost <= reference.free) throw new Error('a request waits although the lease covers it');
      reference.queue.push({ id, cost, since: this.clock.monotonic() });
      this.pending.set(id, { session, expected: null });
      void answer.then(
        (reservation) => this.answered(id, 'granted', { workspace, cost, session, reservation }),
        (error) => this.answered(id, error instanceof ApiError ? error.type : String(error)),
      );
      return;
    }
    if (cost > reference.free) throw new Error('a request was granted that the lease does not cover');
    reference.open += cost;
    this.open.push({ workspace, cost, session, reservation: answer });
  }

  private line(workspace: string, cost: Amount): void {
    const { canServe } = this.ledger;
    this.note(`line of ${workspace} for ${cost}`);
    const reservation = this.ledger.reserveLine(callerOf(workspace), chargeOf(cost));
    const isCovered = canServe && this.referenceOf(workspace).line(cost);
    if ((reservation !== null) !== isCovered) throw new Error('a line got the wrong answer');
    if (reservation !== null)
      this.open.push({ workspace, cost, session: this.sessionId as number, reservation });
  }

  private covers(workspace: string, cost: Amount): void {
    const { canServe } = this.ledger;
    const reference = this.referenceOf(workspace);
    const isCovered = canServe && cost <= reference.free + reference.held;
    if (this.ledger.covers(callerOf(workspace), chargeOf(cost)) !== isCovered)
      throw new Error('the ledger is wrong about what it covers');
    if (canServe && !isCovered) reference.ask(cost);
  }

  private settle(): void {
    const [open] = this.open.splice(this.source.integer(this.open.length), 1);
    if (open === undefined) return;
    if (this.source.integer(5) > 0) this.post(open);
    else this.release(open);
  }

  private release({ workspace, cost, session, reservation }: Open): void {
    reservation.release();
    if (session === this.sessionId) this.referenceOf(workspace).open -= cost;
  }

  private post({ workspace, cost, session, reservation }: Open): void {
    const isCurrent = session === this.sessionId;
    try {
      reservation.post();
    } catch (error) {
      if (isCurrent || !(error instanceof ApiError)) throw error;
      return;
    }
    if (!isCurrent) throw new Error('a charge was made for a session that has ended');
    const reference = this.referenceOf(workspace);
    reference.open -= cost;
    reference.unwritten += cost;
    this.add(workspace, cost);
  }

  private add(workspace: string, cost: Amount): void {
    this.posted.set(workspace, (this.posted.get(workspace) ?? 0n) + cost);
  }

  private change(workspace: string, amount: Amount): void {
    const terms = this.tables.workspaces.get(workspace) as Terms;
    this.tookBack ||= amount < 0n;
    this.tables.workspaces.set(workspace, { ...terms, granted: terms.granted + amount });
  }

  /** The session expires, and its leases return: not during a transaction, which holds its row. */
  private expire(): void {
    const session = this.sessionId;
    if (this.tables.waiting !== null || session === null) return;
    this.note('the session expires');
    this.tables.expire(session);
    if (this.source.integer(2) === 0) this.lost(session);
  }

  private lost(session: number): void {
    if (session !== this.sessionId) return;
    this.sessionId = null;
    for (const reference of this.references.entries()) this.add(reference[0], -reference[1].unwritten);
    this.references = new Map();
    for (const listener of this.lostListeners) listener();
    this.sessions += 1;
    this.sessionId = this.sessions;
    this.tables.rows.nodes.set(this.sessions, 0);
  }

  private begun(): void {
    for (const [workspace, reference] of this.references) {
      const shown = this.shownOf(workspace);
      if (shown === undefined) continue;
      const { canServe } = this.ledger;
      const failed = canServe ? this.clock.monotonic() - WAIT_MS_MAX : Number.POSITIVE_INFINITY;
      // Before others are served, because the ledger did so too: nothing happens between this and what it has taken.
      if (this.ledger['checks'] !== this.checked)
        for (const { id } of reference.giveUp(this.waitingOf(workspace), failed))
          this.expect(id, 'overloaded');
      for (const { id } of reference.serve(shown, this.clock.monotonic())) this.expect(id, 'granted');
      reference.begin(shown);
    }
  }

  private ended(isWritten: boolean): void {
    for (const [workspace, reference] of this.references) {
      if (!isWritten || this.read === null) reference.end();
      else {
        const { rows, now, terms } = this.read;
        const session = this.sessionId as number;
        const lease = this.tables.rows.leases.get(`${workspace} ${session}`)?.amount ?? 0n;
        const read = { rows, terms: terms.get(workspace) as Terms, workspace, session, now };
        for (const [id, answer] of reference.written(read, lease, this.clock.monotonic()))
          this.expect(id, answer);
      }
    }
  }

  private expect(id: number, answer: string): void {
    const request = this.pending.get(id);
    if (request !== undefined) request.expected = answer;
  }

  private answered(id: number, answer: string, open?: Open): void {
    this.guarded(() => {
      const { session, expected } = this.pending.get(id) as { session: number; expected: string | null };
      this.note(`request ${id}: ${answer}`);
      this.pending.delete(id);
      if (open !== undefined) this.open.push(open);
      if (session !== this.sessionId || answer === expected) return;
      for (const reference of this.references.values()) {
        const queued = reference.queue.find((each) => each.id === id);
        if (queued === undefined) continue;
        if (answer === 'overloaded') {
          reference.queue = reference.queue.filter((each) => each !== queued);
          return;
        }
        // Served from what became free, without an exchange.
        const shown = this.shownOf(reference.workspace) as Shown;
        const served = expected === null ? reference.serve(shown, this.clock.monotonic()) : [];
        for (const each of served) this.expect(each.id, 'granted');
        if (answer === 'granted' && served.includes(queued)) return;
      }
      throw new Error(`request ${id} is ${answer}, and must be ${expected}`);
    });
  }

  /** Waits until the node has done what it can without the database or time, and compares it with the reference. */
  private async settled(): Promise<void> {
    await nextTurn();
    await nextTurn();
    this.checked = this.ledger['checks'];
    if (this.failure !== null) throw this.failure;
    for (const [workspace, reference] of this.references) {
      const shown = this.shownOf(workspace);
      if (shown === undefined) continue;
      reference.letGo(shown, this.clock.monotonic());
      reference.compare(shown);
    }
    for (const [id, { session, expected }] of this.pending)
      if (session !== this.sessionId || (expected !== null && expected !== 'wait'))
        throw new Error(`request ${id} has no answer`);
  }

  /** Exactly what is left can still be spent. */
  private async spendTheRest(): Promise<void> {
    const { rows, workspaces } = this.tables;
    for (const workspace of WORKSPACES) {
      const { granted, budget } = workspaces.get(workspace) as Terms;
      const rest = granted - accountIn(rows, workspace, this.clock.now()).charged;
      if (rest <= 0n || budget !== null || othersHoldUnused(rows.leases, workspace, this.sessionId as number))
        continue;
      const before = this.open.length;
      let session: number | null = null;
      for (let round = 0; this.open.length === before; round += 1) {
        // Again with each session: one that has expired fails its first request, if no exchange was needed before.
        if (this.sessionId !== session) this.reserve(workspace, rest);
        session = this.sessionId;
        if (round === FLOW_MAX) throw new Error('what is left cannot be spent');
        if (this.tables.waiting === null) this.clock.advance(50);
        this.tables.waiting?.run('answered');
        await this.settled();
      }
    }
  }

  private get isQuiet(): boolean {
    const { rows, waiting } = this.tables;
    const isIdle =
      this.ledger.canServe && this.pending.size === 0 && this.open.length === 0 && waiting === null;
    return isIdle && rows.leases.size === 0 && [...this.references.values()].every((each) => each.isEmpty);
  }

  private referenceOf(workspace: string): Reference {
    const reference = this.references.get(workspace) ?? new Reference(workspace);
    this.references.set(workspace, reference);
    return reference;
  }

  private shownOf(workspace: string): Shown | undefined {
    const book = this.creditOf(workspace)?.book;
    if (book === undefined) return undefined;
    const { amount, free, reserved, unwritten } = book;
    return { amount, free, reserved, unwritten, exchange: book['exchange'] };
  }

  private waitingOf(workspace: string): readonly Waiter[] {
    return this.creditOf(workspace)?.['waiting'].all ?? [];
  }

  private creditOf(workspace: string) {
    return this.ledger['current']?.find(workspace);
  }

  /** Keeps what goes wrong where the ledger would catch it. */
  private guarded(change: () => void): void {
    try {
      change();
    } catch (error) {
      this.failure ??= error as Error;
    }
  }

  private note(what: string): void {
    this.log.push(`${this.clock.monotonic()} ${what}`);
  }
}
