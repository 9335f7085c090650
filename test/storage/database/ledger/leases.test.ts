import { type Test, test } from 'tap';
import type { Amount } from '../../../../src/access/index.js';
import { availableOf, type Grant } from '../../../../src/storage/database/ledger/grant.js';
import { type Request, WorkspaceCredit } from '../../../../src/storage/database/ledger/workspace-credit.js';
import { AccountModel } from '../../../support/cluster/model.js';
import { type Random, random, seedFromEnvironment } from '../../../support/random.js';
import { scaled } from '../../../support/scale.js';

const SCHEDULES = scaled({ short: 200, long: 1_000 });
const STEPS = 400;
const NODES = 3;
const NEED_MAX = 50;
/** Rounds in which every node has exchanged once, until nothing waits: more mean that something waits forever. */
const ROUNDS_MAX = 50;

interface InFlight {
  readonly request: Request;
  /** Null: not committed yet. */
  grant: Grant | null;
}

/** A node of the model: the production code, and what its requests hold. */
class Node {
  readonly credit = new WorkspaceCredit();
  readonly held: Amount[] = [];
  inFlight: InFlight | null = null;
  /** Released since the last exchange began that returned all unused credit; and while it is in progress. */
  released = 0n;
  releasedBefore = 0n;

  constructor(readonly id: number) {}
}

/** Nodes, a database, and messages between them that arrive in any order. */
class World {
  readonly account: AccountModel;
  nodes: Node[];
  now = 0;
  answered = 0;
  refused = 0;
  lost = 0n;
  private lastId = NODES;
  private tookBack = false;

  constructor(
    private readonly t: Test,
    private readonly source: Random,
    granted: Amount,
  ) {
    this.account = new AccountModel(granted);
    this.nodes = Array.from({ length: NODES }, (_, id) => new Node(id));
  }

  send(node: Node, cost: Amount): void {
    if (node.credit.reserve(cost, this.now)) {
      node.held.push(cost);
      return;
    }
    node.credit.wait({
      cost,
      since: this.now,
      granted: () => void node.held.push(cost),
      refused: () => {
        this.refused += 1;
      },
      failed: () => this.t.fail('nothing failed here'),
    });
  }

  post(node: Node): void {
    const [cost] = node.held.splice(this.source.integer(node.held.length), 1);
    if (cost === undefined) return;
    node.credit.book.post(cost);
    this.answered += 1;
  }

  release(node: Node): void {
    const [cost] = node.held.splice(this.source.integer(node.held.length), 1);
    if (cost === undefined) return;
    node.credit.book.release(cost);
    node.released += cost;
  }

  begin(node: Node): void {
    if (node.inFlight !== null) return;
    const request = node.credit.open(this.now, false);
    if (request === null) return;
    node.inFlight = { request, grant: null };
    if (!request.exchange.isWhole) return;
    node.releasedBefore = node.released;
    node.released = 0n;
  }

  commit(node: Node): void {
    if (node.inFlight === null || node.inFlight.grant !== null) return;
    const { request } = node.inFlight;
    const grant = this.account.exchange(node.id, request, this.nodes.length);
    node.inFlight.grant = grant;
    node.releasedBefore = 0n;
    this.check();
    request.needs.forEach((need, at) => {
      if (grant.answers[at] === 'out_of_credit') this.checkRefusal(node, need);
    });
  }

  /** The answer of the database arrives. */
  acknowledge(node: Node): void {
    if (!node.inFlight?.grant) return;
    const { request, grant } = node.inFlight;
    node.inFlight = null;
    node.credit.settle(request, grant, this.now);
    this.t.equal(node.credit.book.amount, this.account.rows.get(node.id)?.amount ?? 0n);
  }

  /** The connection fails before the commit. */
  fail(node: Node): void {
    if (node.inFlight === null || node.inFlight.grant !== null) return;
    node.inFlight = null;
    node.credit.abandon();
    node.released += node.releasedBefore;
    node.releasedBefore = 0n;
  }

  recall(): void {
    for (const { id, credit } of this.nodes) {
      if (this.account.exact && this.account.rows.get(id)?.exact === false) credit.recall();
    }
  }

  /** A node dies and another one starts. Charges that it had not written are lost. */
  kill(node: Node): void {
    const { grant, request } = node.inFlight ?? {};
    this.lost += node.credit.book.unwritten - (grant ? (request as Request).exchange.charged : 0n);
    this.account.reap(node.id);
    this.nodes = this.nodes.map((each) => (each === node ? new Node(this.lastId) : each));
    this.lastId += 1;
    this.check();
  }

  change(amount: Amount): void {
    this.account.granted += amount;
    if (amount < 0n) this.tookBack = true;
  }

  step(): void {
    const { integer, pick } = this.source;
    const node = pick(this.nodes);
    const dice = integer(100);
    if (dice < 30) this.send(node, BigInt(1 + integer(integer(20) === 0 ? 10 * NEED_MAX : NEED_MAX)));
    else if (dice < 45) this.post(node);
    else if (dice < 50) this.release(node);
    else if (dice < 65) this.begin(node);
    else if (dice < 80) this.commit(node);
    else if (dice < 93) this.acknowledge(node);
    else if (dice < 95) this.fail(node);
    else if (dice < 97) this.recall();
    else this.now += integer(3_000);
    if (integer(200) > 0) return;
    if (integer(2) === 0) this.kill(node);
    else this.change(BigInt(integer(1_500) - 500));
  }

  /** Everything in progress ends. Fails if something waits forever. */
  drain(): void {
    for (let round = 0; ; round += 1) {
      this.recall();
      for (const node of this.nodes) {
        this.begin(node);
        this.commit(node);
        this.acknowledge(node);
        while (node.held.length > 0) this.post(node);
      }
      if (this.nodes.every(({ credit }) => credit.isUnused)) return;
      this.now += 1_000;
      if (round < ROUNDS_MAX) continue;
      this.t.fail('something waits forever');
      return;
    }
  }

  private check(): void {
    const { rows, leased, state } = this.account;
    const sum = [...rows.values()].reduce((total, { amount }) => total + amount, 0n);
    if (sum !== leased) this.t.fail(`leased is ${leased}, the leases are ${sum}`);
    if (!this.tookBack && availableOf(state) < 0n) this.t.fail('more is leased than there is');
    for (const { credit } of this.nodes) if (credit.book.free < 0n) this.t.fail('free credit is negative');
  }

  /** No credit may be unused but what was released and is on its way back. */
  private checkRefusal(asking: Node, need: Amount): void {
    const { granted, charged, rows } = this.account;
    if (granted - charged < need) return;
    if (availableOf(this.account.state) >= need) this.t.fail('a covered need was refused');
    for (const node of this.nodes) {
      if (node === asking || !rows.has(node.id)) continue;
      const { request, grant } = node.inFlight ?? {};
      const extra = grant ? grant.granted - grant.reserved : 0n;
      const unused = node.credit.book.free + extra + (request && !grant ? request.exchange.returned : 0n);
      const released = node.released + node.releasedBefore;
      if (unused > released) this.t.fail(`refused ${need} while node ${node.id} has ${unused} unused`);
    }
  }
}

test(`${SCHEDULES} random schedules of ${NODES} nodes: credit is never exceeded, and never refused while it is unused`, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  let refused = 0;
  for (let schedule = 0; schedule < SCHEDULES && t.passing(); schedule += 1) {
    const world = new World(t, source, BigInt(source.integer(source.pick([500, 5_000, 50_000]))));
    for (let step = 0; step < STEPS; step += 1) world.step();
    world.drain();
    t.equal(world.account.leased, 0n);
    refused += world.refused;
  }
  t.ok(refused > SCHEDULES, 'requests were refused');
});

test(`credit for exactly N requests answers exactly N, whichever node they reach`, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  for (let schedule = 0; schedule < SCHEDULES && t.passing(); schedule += 1) {
    const count = 1 + source.integer(100);
    const cost = BigInt(1 + source.integer(1_000));
    const world = new World(t, source, BigInt(count) * cost + BigInt(source.integer(Number(cost))));
    for (let left = 3 * count; left > 0; ) {
      const node = source.pick(world.nodes);
      const dice = source.integer(6);
      if (dice === 0) world.begin(node);
      else if (dice === 1) world.commit(node);
      else if (dice === 2) world.acknowledge(node);
      else if (dice === 3) world.recall();
      else if (dice === 4) world.post(node);
      else {
        world.send(node, cost);
        left -= 1;
      }
    }
    world.drain();
    t.equal(world.answered, count);
    t.equal(world.refused, 2 * count);
    t.equal(world.account.charged, BigInt(count) * cost);
  }
});
