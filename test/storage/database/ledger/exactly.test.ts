import { test } from 'tap';
import {
  accountOf,
  addWorkspace,
  startNode,
  type TestNode,
  tryReserve,
} from '../../../support/cluster/nodes.js';
import { NEEDS_POSTGRES, newDatabase } from '../../../support/postgres.js';
import { type Random, random, seedFromEnvironment } from '../../../support/random.js';
import { scaled } from '../../../support/scale.js';

const COVERED = scaled({ short: 100, long: 1_000 });
const RUNS = scaled({ short: 2, long: 6 }, 'EXACT_RUNS');
const NODES = 3;
const TOKENS = 7;

/** Delays the database's answers by another time every few milliseconds. */
function delayAtRandom(nodes: readonly TestNode[], source: Random): () => void {
  const timer = setInterval(() => source.pick(nodes).proxy.delay(source.integer(8)), 5);
  return () => clearInterval(timer);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test(
  `credit for exactly ${COVERED} requests, ${3 * COVERED} sent to ${NODES} nodes at once`,
  NEEDS_POSTGRES,
  async (t) => {
    const seed = seedFromEnvironment();
    t.comment(`TEST_SEED=${seed}`);
    const source = random(seed);
    const { url, database } = await newDatabase(t);
    const nodes = await Promise.all(
      Array.from({ length: NODES }, (_, at) => startNode(t, url, { listens: at > 0 })),
    );
    for (let run = 0; run < RUNS; run += 1) {
      const workspace = `run_${run}`;
      const caller = await addWorkspace(database, workspace, {
        granted: BigInt(COVERED * TOKENS + TOKENS - 1),
      });
      const stopDelays = delayAtRandom(nodes, source);
      const send = async () => {
        await pause(source.integer(run * 300));
        const reservation = await tryReserve(source.pick(nodes), caller, TOKENS);
        if (typeof reservation === 'string') return reservation;
        await pause(source.integer(30));
        reservation.post();
        return 'answered';
      };
      const started = performance.now();
      const answers = await Promise.all(Array.from({ length: 3 * COVERED }, send));
      t.comment(`run ${run}: ${Math.round(performance.now() - started)} ms`);
      stopDelays();
      for (const node of nodes) node.proxy.delay(0);
      const count = (wanted: string) => answers.filter((answer) => answer === wanted).length;
      t.equal(count('answered'), COVERED);
      t.equal(count('out_of_credit'), 2 * COVERED);
      for (const node of nodes) await node.ledger.flush();
      const account = await accountOf(t, database, workspace);
      t.equal(account.charged, String(COVERED * TOKENS));
      t.equal(account.exact, true);
    }
    t.strictSame(
      nodes.flatMap(({ errors }) => errors),
      [],
    );
  },
);
