import { type Test, test } from 'tap';
import { endOfNextDay } from '../../src/access/dates.js';
import type { Reservation } from '../../src/access/index.js';
import { balanceOf, readUsage } from '../../src/storage/folder/administration/reports.js';
import { listWorkspaces } from '../../src/storage/folder/administration/rows.js';
import { openStore, reconcile, type Store } from '../../src/storage/folder/index.js';
import { FolderAccess } from '../../src/storage/folder/ledger/folder-access.js';
import { FLUSH_DELAY_MS } from '../../src/storage/folder/ledger/ledger.js';
import {
  changeWorkspace,
  createKey,
  createWorkspace,
  grantCredit,
  revokeKey,
  rollKey,
} from '../support/access/folder-changes.js';
import { type NaiveHold, NaiveLedger } from '../support/access/naive-ledger.js';
import { thrown } from '../support/access/opened.js';
import { dataFolder } from '../support/data-folder.js';
import { fakeClock } from '../support/fake-clock.js';
import { type Random, random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';

const OPERATIONS = scaled({ short: 2_000, long: 10_000 });
/** Each kind of outcome occurs more often; how often depends on the seed. */
const OUTCOMES_MIN = scaled({ short: 0, long: 20 });
const COMPARE_EVERY = 500;
const COMPARE_USAGE_EVERY = 20;
const DAYS_MAX = 92;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const WORKSPACES = ['one', 'two', 'three'];
const KEYS = 12;
const PRICES = [0n, 1n, 750n, 1_500n, 10n ** 15n + 1n];
/** Shortly before a year ends; the operations go on for some months, over a leap day. */
const START = Date.parse('2027-12-31T23:00:00.000Z');

/** The ledger and the naive one, to which the same things are done. */
class Pair {
  private clock = fakeClock(START);
  private access: FolderAccess;
  private readonly naive = new NaiveLedger(() => this.clock);
  private readonly reservations: Array<{ hold: NaiveHold; reservation: Reservation }> = [];
  /** When the oldest charge came that is not on the disk. */
  private waitingSince: number | null = null;
  readonly outcomes = new Map<string, number>();

  constructor(
    private readonly t: Test,
    private readonly store: Store,
    private readonly source: Random,
  ) {
    this.access = this.start();
    for (const id of WORKSPACES) {
      createWorkspace(store, this.clock, id);
      changeWorkspace(store, this.clock, id, { requestsPerMinute: 1_000_000 });
      for (let key = 0; key < 3; key += 1) this.createKey(id, null);
    }
  }

  private start(): FolderAccess {
    return new FolderAccess(this.store, this.clock, (error) => this.t.fail(String(error)));
  }

  /** One operation, each as often as its share of 1,000. */
  async operate(): Promise<void> {
    const { integer, pick } = this.source;
    const dice = integer(1_000);
    if (dice < 550) this.request();
    else if (dice < 800) this.settle();
    else if (dice < 850) await this.wait(integer(2 * FLUSH_DELAY_MS));
    else if (dice < 900) await this.wait(integer(3 * 60 * MINUTE_MS));
    else if (dice < 905) await this.wait(integer(20 * DAY_MS));
    else if (dice < 910) this.clock.set(this.clock.now() - integer(3 * DAY_MS));
    else if (dice < 950) this.grant(pick(WORKSPACES));
    else if (dice < 965) this.budget(pick(WORKSPACES));
    else if (dice < 985) this.changeKeys();
    else if (dice < 995) await this.flush();
    else this.crash();
  }

  /** A request up to where the engine would run it. */
  private request(): void {
    const { integer, pick } = this.source;
    // The last keys are those that are most likely to work.
    const key = pick(this.naive.keys.slice(-KEYS));
    const hold = {
      workspace: key.workspace,
      key: key.id,
      model: pick(['a', 'b']),
      kind: pick(['live', 'batch'] as const),
      price: pick(PRICES),
      inputTokens: integer(4) === 0 ? 1 : integer(5_000),
    };
    const refusal = this.naive.authenticates(key) ?? this.naive.admits(key) ?? this.naive.reserves(hold);
    const found = thrown(() => {
      const caller = this.access.authenticate([`Bearer ${key.token}`]);
      this.access.admit(caller, 1);
      this.reservations.push({ hold, reservation: this.access.reserve(caller, hold) });
    });
    if (found !== refusal) this.t.fail(`a request was answered ${found}, not ${refusal}`);
    if (found === null) this.naive.held.push(hold);
    const outcome = String(found);
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }

  private settle(): void {
    const { integer } = this.source;
    const [settled] = this.reservations.splice(integer(this.reservations.length), 1);
    if (settled === undefined) return;
    const { hold, reservation } = settled;
    this.naive.held.splice(this.naive.held.indexOf(hold), 1);
    if (integer(5) === 0) {
      reservation.release();
      return;
    }
    reservation.post();
    this.naive.post(hold);
    this.waitingSince ??= this.clock.monotonic();
  }

  private grant(id: string): void {
    const { integer, pick } = this.source;
    const given = BigInt(integer(2 ** 31)) * pick([1n, 1_000n, 10n ** 10n]);
    const left = this.naive.granted(id) - this.naive.charged(id);
    const amount = pick([given, given, given, -given, -left]);
    grantCredit(this.store, this.clock, id, amount);
    this.naive.grants.push({ workspace: id, amount });
  }

  private budget(id: string): void {
    const { integer, pick } = this.source;
    const charged = this.naive.charged(id);
    const budget = pick([null, null, 0n, charged, charged + BigInt(integer(2 ** 31)) * 1_000n]);
    changeWorkspace(this.store, this.clock, id, { budget });
    this.naive.budgets.set(id, budget);
  }

  private createKey(id: string, until: number | null): void {
    const { key, token } = createKey(this.store, this.clock, id, until);
    this.naive.keys.push({ id: key.id, workspace: id, token, until, revoked: false, rolled: false });
  }

  private changeKeys(): void {
    const { integer, pick } = this.source;
    const key = pick(this.naive.keys);
    const now = this.clock.now();
    const kind = integer(6);
    if (kind === 0) {
      revokeKey(this.store, this.clock, key.id);
      key.revoked = true;
    } else if (kind === 1 && this.naive.authenticates(key) === null && !key.rolled) {
      const next = rollKey(this.store, this.clock, key.id);
      const until = next.key.expires;
      this.naive.keys.push({ ...key, id: next.key.id, token: next.token, until });
      key.rolled = true;
      key.until = Math.min(key.until ?? Number.POSITIVE_INFINITY, endOfNextDay(now));
    } else this.createKey(key.workspace, integer(2) === 0 ? null : now + integer(60 * DAY_MS));
  }

  /** Time passes; charges are written by themselves. */
  private async wait(ms: number): Promise<void> {
    this.clock.advance(ms);
    if (this.waitingSince === null || this.clock.monotonic() - this.waitingSince < FLUSH_DELAY_MS) return;
    // It follows what the ledger writes now.
    await this.store.write([]);
    this.written();
  }

  private async flush(): Promise<void> {
    await this.access.flush();
    this.written();
  }

  private written(): void {
    this.naive.flushed();
    this.waitingSince = null;
  }

  /** The process dies and another starts, whose timers begin anew. */
  private crash(): void {
    this.clock = fakeClock(this.clock.now());
    this.access = this.start();
    this.reservations.length = 0;
    this.naive.crashed();
    this.waitingSince = null;
  }

  /** A key's own usage contains every charge at once: before it is written, meanwhile and after. */
  async compareUsage(): Promise<void> {
    const { integer, pick } = this.source;
    const key = pick(this.naive.keys.slice(-KEYS));
    const holder = this.access.holder(key.id);
    if (holder === undefined) throw new Error('a key has no holder');
    const { from, to, rows } = await this.access.usage(holder, 1 + integer(DAYS_MAX));
    const own = this.naive.charges.filter(({ key: id, day }) => id === key.id && day >= from && day <= to);
    const charges = own.map((charge) => ({ ...charge, amount: charge.price * BigInt(charge.inputTokens) }));
    this.t.strictSame(counters(rows), counters(charges.map(({ price: _, ...charge }) => charge)));
    const names = rows.map(({ day, model, kind }) => `${day} ${model} ${kind}`);
    this.t.strictSame(names, [...new Set(names)].sort());
  }

  /** Proves the ledger, and that it says what the naive one says. */
  async compare(): Promise<void> {
    const { t, store, naive } = this;
    await this.flush();
    const { books, problems } = reconcile(store);
    t.strictSame(problems, []);
    for (const { workspace, granted, charged, balance } of books) {
      t.equal(granted, naive.granted(workspace));
      t.equal(charged, naive.charged(workspace));
      t.equal(balance, naive.granted(workspace) - naive.charged(workspace));
    }
    for (const workspace of listWorkspaces(store)) {
      const month = new Date(this.clock.now()).toISOString().slice(0, 7);
      const { monthCharged } = balanceOf(store, workspace, this.clock.now());
      t.equal(monthCharged, naive.chargedIn(workspace.id, month));
    }
    t.strictSame(counters(readUsage(store, {})), counters(naive.charges));
  }
}

/** A charge, or the sum of some. */
interface Counted extends Omit<NaiveHold, 'price'> {
  readonly day: string;
  readonly price?: bigint;
  readonly requests?: number;
  readonly amount?: bigint;
}

/** Requests, tokens and amount of each counter. */
function counters(rows: readonly Counted[]) {
  const sums = new Map<string, [requests: number, tokens: number, amount: bigint]>();
  for (const row of rows) {
    const name = [row.workspace, row.day, row.key, row.model, row.kind, row.price ?? 'all prices'].join(' ');
    const [requests, tokens, amount] = sums.get(name) ?? [0, 0, 0n];
    const own = row.amount ?? (row.price ?? 0n) * BigInt(row.inputTokens);
    sums.set(name, [requests + (row.requests ?? 1), tokens + row.inputTokens, amount + own]);
  }
  return [...sums].sort();
}

test(`${OPERATIONS} random operations on the ledger and a naive one: the same outcomes and sums`, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const store = openStore(dataFolder(t));
  t.teardown(() => store.close());
  const pair = new Pair(t, store, random(seed));
  for (let operation = 1; operation <= OPERATIONS; operation += 1) {
    await pair.operate();
    if (operation % COMPARE_USAGE_EVERY === 0) await pair.compareUsage();
    if (operation % COMPARE_EVERY === 0) await pair.compare();
  }
  t.comment(JSON.stringify(Object.fromEntries(pair.outcomes)));
  for (const outcome of ['null', 'unauthorized', 'out_of_credit', 'budget_exceeded']) {
    t.ok((pair.outcomes.get(outcome) ?? 0) > OUTCOMES_MIN, `${outcome} is among the outcomes`);
  }
});
