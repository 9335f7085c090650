import type { Amount, Pause, Reservation } from '../../../src/access/index.js';
import { LINE_NEEDS_MAX, LINES_HELD_MS } from '../../../src/storage/database/ledger/line-needs.js';
import { accountIn, othersHoldUnused, type Rows, type Terms } from './ledger-tables.js';

/** The numbers of a lease that the ledger shows, and its exchange in progress. */
export interface Shown {
  readonly amount: Amount;
  readonly free: Amount;
  readonly reserved: Amount;
  readonly unwritten: Amount;
  readonly exchange: { readonly charged: Amount; readonly returned: Amount } | null;
}

/** A reservation that was made in a session. */
export interface Open {
  readonly workspace: string;
  readonly cost: Amount;
  readonly session: number;
  readonly reservation: Reservation;
}

/** A request that waits, by its number. */
export interface Queued {
  readonly id: number;
  readonly cost: Amount;
  /** Monotonic milliseconds. */
  readonly since: number;
}

interface Taken {
  readonly charged: Amount;
  readonly returned: Amount;
  readonly queued: readonly Queued[];
  readonly lines: readonly Amount[];
}

export type Answer = 'granted' | 'wait' | Pause;

const sum = (amounts: readonly Amount[]) => amounts.reduce((total, amount) => total + amount, 0n);

function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

/**
 * What a node must hold of one workspace in one session, computed plainly: sums, a queue, and the costs of lines. How much
 * unused credit a node asks for and when it returns some is its choice; the reference takes that from the ledger.
 */
export class Reference {
  lease = 0n;
  open = 0n;
  unwritten = 0n;
  /** Granted for lines that have not taken it yet. */
  held = 0n;
  queue: Queued[] = [];
  private setAside = 0n;
  private heldSince = 0;
  private lines: Amount[] = [];
  private taken: Taken | null = null;

  constructor(readonly workspace: string) {}

  get free(): Amount {
    return this.lease - this.setAside - this.open - this.held - this.unwritten;
  }

  /** Lines that still need credit would be granted some, and hold it while a request is refused. */
  get isEmpty(): boolean {
    const { lease, open, held, unwritten, queue, lines } = this;
    return (
      lease === 0n && open === 0n && held === 0n && unwritten === 0n && queue.length + lines.length === 0
    );
  }

  /** A line takes what is held for lines, or asks for its cost. */
  line(cost: Amount): boolean {
    this.held = 0n;
    if (cost > this.free) {
      this.ask(cost);
      return false;
    }
    this.open += cost;
    return true;
  }

  ask(cost: Amount): void {
    if (!this.lines.includes(cost) && this.lines.length < LINE_NEEDS_MAX) this.lines.push(cost);
  }

  /** What was held for lines for too long is free again, if the ledger has done so. */
  letGo({ reserved }: Shown, now: number): void {
    if (this.isOverdue(now) && reserved === this.open) this.held = 0n;
  }

  /** Returns the requests that are served before an exchange begins, in their order. They get what was held for too long. */
  serve(shown: Shown, now: number): Queued[] {
    if (this.queue.length === 0) this.letGo(shown, now);
    else if (this.isOverdue(now)) this.held = 0n;
    const served = this.queue.filter(({ cost }) => {
      if (cost > this.free) return false;
      this.open += cost;
      return true;
    });
    this.queue = this.queue.filter((each) => !served.includes(each));
    return served;
  }

  /**
   * Removes and returns the requests that the ledger has failed, although their answers have not arrived.
   *
   * @param waiting the requests that wait in the ledger
   * @param since when the youngest request came that the ledger may fail
   */
  giveUp(waiting: ReadonlyArray<Omit<Queued, 'id'>>, since: number): Queued[] {
    const left = [...waiting];
    const failed = this.queue.filter((each) => {
      const at = left.findIndex(({ cost, since: came }) => cost === each.cost && came === each.since);
      if (at >= 0) left.splice(at, 1);
      return at < 0 && each.since <= since;
    });
    this.queue = this.queue.filter((each) => !failed.includes(each));
    return failed;
  }

  /** The node has taken what it exchanges. */
  begin({ exchange }: Shown): void {
    const needs = this.queue.length + this.lines.length;
    must(exchange !== null || needs === 0, 'an exchange leaves out a workspace that needs credit');
    if (exchange === null) return;
    const { charged, returned } = exchange;
    must(charged === this.unwritten, 'an exchange does not write all charges');
    must(returned === this.free || (returned === 0n && needs === 0), 'an exchange returns a part');
    this.setAside = returned;
    this.taken = { charged, returned, queued: [...this.queue], lines: [...this.lines] };
  }

  /**
   * The exchange was written. Returns the answers of the requests in it, by number.
   *
   * @param read the tables as the exchange has read them
   * @param lease the lease afterwards
   */
  written(read: Read, lease: Amount, now: number): Map<number, Answer> {
    const { taken } = this;
    const answers = new Map<number, Answer>();
    if (taken === null) return answers;
    const all = answersOf(read, taken);
    const { charged, queued, lines } = taken;
    this.lease = lease;
    this.unwritten -= charged;
    this.end();
    queued.forEach(({ id, cost }, at) => {
      const answer = all[at] as Answer;
      if (answer === 'wait') return;
      answers.set(id, answer);
      // One that has given up takes nothing.
      if (answer === 'granted' && this.queue.some((each) => each.id === id)) this.open += cost;
      this.queue = this.queue.filter((each) => each.id !== id);
    });
    const of = (wanted: (answer: Answer) => boolean) =>
      lines.filter((_, at) => wanted(all[queued.length + at] as Answer));
    this.lines = this.lines.filter((cost) => !of((answer) => answer !== 'wait').includes(cost));
    const granted = sum(of((answer) => answer === 'granted'));
    if (granted > 0n) this.heldSince = now;
    this.held += granted;
    return answers;
  }

  /** The exchange was not written. */
  end(): void {
    this.setAside = 0n;
    this.taken = null;
  }

  private isOverdue(now: number): boolean {
    return this.held > 0n && now - this.heldSince >= LINES_HELD_MS;
  }

  /** Throws if the ledger shows something else. */
  compare(shown: Shown): void {
    const { lease, open, held, unwritten, free } = this;
    const pairs = { amount: lease, free, reserved: open + held, unwritten } as const;
    for (const [name, expected] of Object.entries(pairs)) {
      const actual = shown[name as keyof typeof pairs];
      must(actual === expected, `${name} is ${actual}, and must be ${expected}`);
      must(actual >= 0n, `${name} is negative`);
    }
  }
}

/** What an exchange of a session reads. */
export interface Read {
  readonly rows: Rows;
  readonly terms: Terms;
  readonly workspace: string;
  readonly session: number;
  readonly now: number;
}

/**
 * The answers to the needs of an exchange, in their order: what the credit and the budget cover is granted; a need that
 * they would cover without all leases waits while another node may return some; any other is refused.
 */
function answersOf({ rows, terms, workspace, session, now }: Read, taken: Taken): Answer[] {
  const { charged, returned, queued, lines } = taken;
  const account = accountIn(rows, workspace, now);
  const credit = terms.granted - account.charged - charged;
  const budget = terms.budget === null ? null : terms.budget - account.monthCharged - charged;
  const lacks = (leased: Amount, amount: Amount): Pause | null => {
    if (credit - leased < amount) return 'out_of_credit';
    return budget !== null && budget - leased < amount ? 'budget_exceeded' : null;
  };
  const others = othersHoldUnused(rows.leases, workspace, session);
  let leased = account.leased - charged - returned;
  return [...queued.map(({ cost }) => cost), ...lines].map((need) => {
    const pause = lacks(leased, need);
    if (pause !== null) return others && lacks(0n, need) === null ? 'wait' : pause;
    leased += need;
    return 'granted';
  });
}
