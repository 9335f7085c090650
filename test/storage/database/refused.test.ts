import { type Test, test } from 'tap';
import type { Key } from '../../../src/access/index.js';
import { DatabaseAdministration } from '../../../src/storage/database/index.js';
import { lines } from '../../support/batch/world.js';
import { BatchCluster, type ClusterNode } from '../../support/cluster/batch-cluster.js';
import { chargeOf } from '../../support/cluster/nodes.js';
import { NEEDS_POSTGRES } from '../../support/postgres.js';
import { LONG } from '../../support/scale.js';
import { until } from '../../support/until.js';

const LINES = 5;

/** What the database does instead of a write: it refuses it, as for a constraint, or leaves the row out. */
type Fault = 'refuse' | 'skip';
type Write = readonly [table: string, operation: string, fault: Fault];

/** The transactions that a node writes, by a table that each of them changes. */
const WRITES: readonly Write[] = [
  ['accounts', 'UPDATE', 'refuse'],
  ['credit_leases', 'INSERT OR UPDATE', 'skip'],
  ['nodes', 'UPDATE', 'refuse'],
  ['batch_results', 'INSERT', 'refuse'],
];
const MORE_WRITES: readonly Write[] = [
  ['accounts', 'UPDATE', 'skip'],
  ['credit_leases', 'INSERT OR UPDATE', 'refuse'],
  ['credit_leases', 'DELETE', 'refuse'],
  ['usage', 'INSERT OR UPDATE', 'refuse'],
  ['usage', 'INSERT OR UPDATE', 'skip'],
  ['nodes', 'UPDATE', 'skip'],
  ['nodes', 'INSERT', 'refuse'],
  ['nodes', 'DELETE', 'refuse'],
  ['batch_results', 'INSERT', 'skip'],
  ['batch_chunks', 'UPDATE', 'refuse'],
  ['batch_chunks', 'DELETE', 'refuse'],
  ['batches', 'UPDATE', 'refuse'],
  ['batches', 'INSERT', 'refuse'],
  ['batch_lines', 'INSERT', 'refuse'],
  ['batch_turns', 'INSERT OR UPDATE', 'refuse'],
  ['data_keys', 'INSERT', 'refuse'],
];

const FUNCTIONS: Readonly<Record<Fault, string>> = {
  refuse: `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '23514'; END $$`,
  skip: `CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
};

/** Answers one request: whether it was charged. */
async function answer(node: ClusterNode, key: Key): Promise<boolean> {
  try {
    (await node.access.reserve(node.caller(key), chargeOf(10))).post();
    await node.ledger.flush();
    return true;
  } catch {
    return false;
  }
}

async function answersAgain(t: Test, cluster: BatchCluster, node: ClusterNode, write: Write): Promise<void> {
  const [table, operation, fault] = write;
  const key = await cluster.key();
  const before = await node.submit(key, lines('before-', LINES)).catch(() => null);
  await cluster.sql(
    `CREATE TRIGGER fault BEFORE ${operation} ON ${table} FOR EACH ROW EXECUTE FUNCTION ${fault}()`,
  );
  const troubles = node.troubles.length;
  let isRefused = false;
  for (let attempt = 0; attempt < 40 && node.troubles.length === troubles && !isRefused; attempt += 1) {
    await answer(node, key);
    // A submission is refused to its caller.
    isRefused = await node.submit(key, lines('during-', LINES)).then(
      () => false,
      () => true,
    );
    // What is due later, such as heartbeats and the return of idle leases.
    if (!isRefused) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await cluster.sql(`DROP TRIGGER fault ON ${table}`);
  await until(() => answer(node, key));
  const submitted: { id: string | null } = { id: null };
  await until(async () => {
    submitted.id = await node.submit(key, lines('after-', LINES)).catch(() => null);
    return submitted.id !== null;
  });
  for (const id of [before, submitted.id]) {
    if (id === null) continue;
    await until(async () => (await node.show(key, id).catch(() => null))?.finished_at != null);
    t.match(await node.show(key, id), { counts: { done: LINES, failed: 0 } });
  }
  await until(() => answer(node, key));
  const { problems } = await new DatabaseAdministration(cluster.database, 'test').reconcile();
  t.strictSame(problems, []);
}

for (const write of LONG ? [...WRITES, ...MORE_WRITES] : WRITES) {
  const [table, operation, fault] = write;
  test(
    `the node answers again after the database did ${fault} ${operation} of ${table}`,
    NEEDS_POSTGRES,
    async (t) => {
      const cluster = await BatchCluster.start(t, 1);
      for (const text of Object.values(FUNCTIONS)) await cluster.sql(text);
      await answersAgain(t, cluster, cluster.nodes[0] as ClusterNode, write);
    },
  );
}
