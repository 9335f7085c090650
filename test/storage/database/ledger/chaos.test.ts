import { test } from 'tap';
import type { Reservation } from '../../../../src/access/index.js';
import {
  accountOf,
  addWorkspace,
  sql,
  startNode,
  type TestNode,
  tryReserve,
} from '../../../support/cluster/nodes.js';
import { NEEDS_POSTGRES, newDatabase } from '../../../support/postgres.js';
import { type Random, random, seedFromEnvironment } from '../../../support/random.js';
import { scaled } from '../../../support/scale.js';
import { until } from '../../../support/until.js';

const COVERED = scaled({ short: 200, long: 6_000 });
const CLIENTS = 20;
const NODES = 3;
const TOKENS = 3;
/** How often a connection fails, in milliseconds. */
const FAULT_MS = 150;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A fault of one node's connections to the database. None lasts so long that its session ends. */
async function fault(node: TestNode, { integer, pick }: Random): Promise<void> {
  const kind = pick(['cut', 'cut', 'pause', 'not sent', 'not answered', 'late'] as const);
  if (kind === 'cut') node.proxy.cut();
  else if (kind === 'pause') {
    node.proxy.pause();
    await pause(integer(200));
    node.proxy.resume();
  } else node.proxy.loseCommit(kind);
}

test(
  'connections fail at random: credit for N requests still answers exactly N, each charged once',
  NEEDS_POSTGRES,
  async (t) => {
    const seed = seedFromEnvironment();
    t.comment(`TEST_SEED=${seed}`);
    const source = random(seed);
    const { url, database } = await newDatabase(t);
    const nodes: TestNode[] = [];
    for (let at = 0; at < NODES; at += 1) nodes.push(await startNode(t, url));
    const sessions = nodes.map(({ session }) => session.id);
    const caller = await addWorkspace(database, 'one', { granted: BigInt(COVERED * TOKENS + TOKENS - 1) });
    let answered = 0;
    let failed = 0;
    let isOver = false;
    const faults = (async () => {
      while (!isOver) {
        await pause(source.integer(2 * FAULT_MS));
        await fault(source.pick(nodes), source);
      }
    })();
    /** Sends one request after the other until one is refused. */
    const client = async () => {
      for (;;) {
        const reservation = await tryReserve(source.pick(nodes), caller, TOKENS);
        if (reservation === 'out_of_credit') return;
        if (typeof reservation === 'string') failed += 1;
        await pause(source.integer(20));
        if (typeof reservation === 'string') continue;
        if (source.integer(10) === 0) reservation.release();
        else answered += post(reservation);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    isOver = true;
    await faults;
    for (const node of nodes) {
      node.proxy.loseCommit(null);
      await until(() => node.session.isServing);
      await settled(node);
    }
    // What was released after the last refusal.
    for (let left = COVERED - answered; left > 0; left -= 1) {
      const reservation = await tryReserve(source.pick(nodes), caller, TOKENS);
      if (typeof reservation === 'string')
        t.fail(`${left} requests are covered, and one was answered ${reservation}`);
      else answered += post(reservation);
    }
    for (const node of nodes) t.equal(await tryReserve(node, caller, TOKENS), 'out_of_credit');
    for (const node of nodes) await settled(node);
    t.equal(answered, COVERED);
    t.equal((await accountOf(t, database, 'one')).charged, String(COVERED * TOKENS));
    t.match(await sql(database, 'SELECT sum(requests)::int AS requests FROM usage'), [{ requests: COVERED }]);
    t.strictSame(
      nodes.map(({ session }) => session.id),
      sessions,
      'no session was lost',
    );
    t.comment(
      `${nodes.flatMap(({ errors }) => errors).length} faults were noticed, ${failed} requests refused`,
    );
  },
);

/** 1 if the request was answered. */
function post(reservation: Reservation): number {
  try {
    reservation.post();
    return 1;
  } catch {
    return 0;
  }
}

/** Everything that a node has charged is written. */
async function settled({ ledger }: TestNode): Promise<void> {
  while (
    !(await ledger.flush().then(
      () => true,
      () => false,
    ))
  );
}
