import { type Test, test } from 'tap';
import type { Reservation } from '../../../src/access/index.js';
import { ApiError } from '../../../src/api/index.js';
import { TRIES_MAX } from '../../../src/batch/runner/line-outcome.js';
import { balanceOf } from '../../../src/storage/folder/administration/reports.js';
import { getWorkspace } from '../../../src/storage/folder/administration/rows.js';
import { reconcile } from '../../../src/storage/folder/index.js';
import { changeWorkspace, grantCredit } from '../../support/access/folder-changes.js';
import { type NaiveHold, NaiveLedger } from '../../support/access/naive-ledger.js';
import { tokensOf } from '../../support/batch/test-engine.js';
import { line, PRICE, World } from '../../support/batch/world.js';
import { type Random, random, seedFromEnvironment } from '../../support/random.js';
import { scaled } from '../../support/scale.js';

const WALKS = scaled({ short: 4, long: 20 }, 'WALKS');
const STEPS = 60;
/** Enough for any wait between tries. */
const WAIT_S = 11;
const BATCHES_MAX = 6;

interface Line {
  readonly id: string;
  readonly hold: NaiveHold;
  readonly batch: string;
  tries: number;
  resolved: boolean;
}

/**
 * Batches of lines of many sizes, live requests, credit and budgets that come and go, at random. The naive ledger says
 * whether a line or a request is covered when it starts; and where lines wait, that one of their key is not.
 */
class Walk {
  private readonly naive: NaiveLedger;
  private readonly lines = new Map<string, Line>();
  private readonly batches: Array<{ readonly id: string; readonly key: string; ended: boolean }> = [];
  private readonly keys: ReadonlyArray<{ readonly id: string }>;
  private live: Array<{ readonly hold: NaiveHold; readonly reservation: Reservation }> = [];
  private seen: number;
  /** How often lines waited for money, to know that the walk is about something. */
  waited = 0;

  constructor(
    private readonly t: Test,
    private readonly world: World,
    private readonly workspace: string,
    private readonly next: Random,
  ) {
    this.naive = new NaiveLedger(() => world.clock);
    world.workspace(workspace, 0n);
    this.keys = [1, 2, 3].map(() => world.key(null, workspace));
    this.seen = world.engine.started.length;
  }

  async run(): Promise<void> {
    const { world, next } = this;
    world.engine.answersAtOnce = false;
    world.engine.room = 1 + next.integer(40);
    for (let step = 0; step < STEPS; step += 1) await this.step();
    await this.end();
  }

  private async step(): Promise<void> {
    const { world, next } = this;
    const dice = next.integer(100);
    if (dice < 15) await this.submit();
    else if (dice < 50) this.answerSome();
    else if (dice < 60) this.failOne();
    else if (dice < 72) await this.reserveLive();
    else if (dice < 82) this.settleLive();
    else if (dice < 90) this.grant(BigInt(next.integer(800)) * PRICE + BigInt(next.integer(3)));
    else if (dice < 94) this.setBudget();
    else if (dice < 97) await this.cancel();
    else await this.crash();
    await world.pass(WAIT_S);
    this.compare();
  }

  private async submit(): Promise<void> {
    const { world, next, naive, workspace, t } = this;
    if (this.batches.filter(({ ended }) => !ended).length >= BATCHES_MAX) return;
    const key = next.pick(this.keys).id;
    // A batch needs no more; its lines wait.
    if (naive.admits({ workspace }) === 'out_of_credit') this.grant(1n);
    const refused = naive.admits({ workspace });
    if (refused !== null) {
      await t.rejects(world.submit({ id: key }, line('refused')), { name: 'ApiError', type: refused });
      return;
    }
    const ids = Array.from({ length: 1 + next.integer(30) }, (_, at) =>
      `${workspace}-${this.lines.size + at}`.padEnd(next.integer(64), 'x'),
    );
    const id = await world.submit({ id: key }, ids.map((each) => line(each)).join('\n'));
    this.batches.push({ id, key, ended: false });
    for (const each of ids) {
      const hold = {
        workspace,
        key,
        model: 'm-20260101',
        kind: 'batch',
        price: PRICE,
        inputTokens: tokensOf(each),
      };
      this.lines.set(each, { id: each, hold, batch: id, tries: 0, resolved: false });
    }
  }

  private answerSome(): void {
    for (const id of [...this.world.engine.waiting.keys()]) {
      if (this.next.integer(3) === 0) continue;
      this.world.engine.answer(id);
      this.give(id);
      const line = this.lines.get(id) as Line;
      line.resolved = true;
      this.naive.post(line.hold);
    }
  }

  private failOne(): void {
    const id = [...this.world.engine.waiting.keys()][0];
    if (id === undefined) return;
    const refused = this.next.integer(2) === 0;
    this.world.engine.fail(id, new ApiError(refused ? 'invalid_question' : 'overloaded', 'No.'));
    this.give(id);
    const line = this.lines.get(id) as Line;
    line.tries += 1;
    line.resolved = refused || line.tries === TRIES_MAX;
  }

  /** What a line held is free. */
  private give(id: string): void {
    const { hold } = this.lines.get(id) as Line;
    this.naive.held.splice(this.naive.held.indexOf(hold), 1);
  }

  private async reserveLive(): Promise<void> {
    // The clock of this test is ahead of the disk.
    await this.world.access.flush();
    const { world, next, naive, workspace, t } = this;
    const key = next.pick(this.keys).id;
    const charge = {
      model: 'm',
      kind: 'live',
      inputTokens: 1 + next.integer(120),
      price: 2n * PRICE,
    } as const;
    const hold = { workspace, key, ...charge };
    const expected = naive.reserves(hold);
    let reservation: Reservation;
    try {
      reservation = world.access.reserve(world.caller({ id: key }), charge);
    } catch (error) {
      t.equal((error as ApiError).type, expected, 'a live request is refused');
      return;
    }
    if (expected !== null) t.fail(`a live request is let in that is ${expected}`);
    naive.held.push(hold);
    this.live.push({ hold, reservation });
  }

  private settleLive(): void {
    const [settled] = this.live.splice(this.next.integer(this.live.length), 1);
    if (settled === undefined) return;
    const { hold, reservation } = settled;
    this.naive.held.splice(this.naive.held.indexOf(hold), 1);
    if (this.next.integer(3) === 0) {
      reservation.release();
      return;
    }
    reservation.post();
    this.naive.post(hold);
  }

  private grant(amount: bigint): void {
    grantCredit(this.world.store, this.world.clock, this.workspace, amount);
    this.naive.grants.push({ workspace: this.workspace, amount });
  }

  private setBudget(): void {
    const charged = this.naive.charged(this.workspace);
    const budget = this.next.pick([null, charged, charged + BigInt(this.next.integer(300)) * PRICE]);
    changeWorkspace(this.world.store, this.world.clock, this.workspace, { budget });
    this.naive.budgets.set(this.workspace, budget);
  }

  private async cancel(): Promise<void> {
    const batch = this.next.pick(this.batches.filter(({ ended }) => !ended));
    if (batch === undefined) return;
    batch.ended = true;
    await this.world.batches.cancel(this.world.caller({ id: batch.key }), batch.id).catch((error) => {
      this.t.equal(error.type, 'batch_finished');
    });
  }

  /** The process dies with everything charged on the disk: what was in progress runs again. */
  private async crash(): Promise<void> {
    const { world, naive } = this;
    await world.access.flush();
    naive.flushed();
    const { room } = world.engine;
    await world.crash(false);
    naive.crashed();
    world.engine.room = room;
    for (const line of this.lines.values()) line.tries = 0;
    this.live = [];
    this.seen = 0;
  }

  private compare(): void {
    const { t, world, naive } = this;
    const { started, waiting } = world.engine;
    for (; this.seen < started.length; this.seen += 1) {
      const { hold, id } = this.lines.get(started[this.seen] as string) as Line;
      const lack = naive.reserves(hold);
      if (lack !== null) t.fail(`${id} starts, though ${lack}`);
      naive.held.push(hold);
    }
    if (waiting.size >= world.engine.room) return;
    const open = new Set(this.batches.filter(({ ended }) => !ended).map(({ id }) => id));
    const left = [...this.lines.values()].filter(
      ({ id, batch, resolved }) => !resolved && open.has(batch) && !waiting.has(id),
    );
    for (const key of new Set(left.map(({ hold }) => hold.key))) {
      this.waited += 1;
      const own = left.filter(({ hold }) => hold.key === key);
      if (own.every(({ hold }) => naive.reserves(hold) === null)) {
        t.fail(`${own.length} lines of ${key} wait, though each of them is covered`);
      }
    }
  }

  /** With enough credit everything is answered; then every unit is where it belongs. */
  private async end(): Promise<void> {
    const { t, world, naive, workspace } = this;
    changeWorkspace(world.store, world.clock, workspace, { budget: null });
    naive.budgets.set(workspace, null);
    this.grant(10n ** 9n);
    for (const { reservation } of this.live.splice(0)) reservation.release();
    naive.held = naive.held.filter(({ kind }) => kind === 'batch');
    for (let round = 0; round < 500; round += 1) {
      await world.pass(WAIT_S);
      this.compare();
      if (world.engine.waiting.size === 0) break;
      this.answerSome();
    }
    for (const { id, key, ended } of this.batches) {
      const { counts, results_available } = world.show({ id: key }, id);
      t.equal(results_available, true);
      if (ended) continue;
      const own = [...this.lines.values()].filter(({ batch }) => batch === id);
      t.equal(counts.done + counts.failed, own.length);
    }
    t.strictSame(naive.held, [], 'nothing is held');
    await world.access.flush();
    t.strictSame(reconcile(world.store).problems, []);
    const { balance } = balanceOf(world.store, getWorkspace(world.store, workspace), world.clock.now());
    t.equal(balance, naive.granted(workspace) - naive.charged(workspace));
    const left = world.access.reserveLine(world.caller(this.keys[0] as { id: string }), {
      model: 'm',
      kind: 'live',
      inputTokens: 1,
      price: balance,
    });
    t.not(left, null, 'all that is left can be spent: no reservation has leaked');
    left?.release();
  }
}

test('random operations: no line starts that is not covered, and no covered line waits', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const world = await World.start(t);
  const next = random(seed);
  let waited = 0;
  for (let walk = 0; walk < WALKS; walk += 1) {
    const each = new Walk(t, world, `w${walk}`, next);
    await each.run();
    waited += each.waited;
  }
  t.ok(waited > WALKS, `lines waited ${waited} times`);
  t.strictSame(world.troubles, []);
});
