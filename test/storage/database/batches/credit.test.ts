import { type Test, test } from 'tap';
import { line } from '../../../support/batch/world.js';
import { BatchCluster, type ClusterNode } from '../../../support/cluster/batch-cluster.js';
import { NEEDS_POSTGRES } from '../../../support/postgres.js';
import { until } from '../../../support/until.js';

/** Longer than a node claims nothing of a key whose credit did not suffice. */
const RESTED_MS = 11_000;
/** Longer than a node keeps a chunk whose next line is not covered. */
const GIVEN_BACK_MS = 3_000;

/** Nodes, of which one has given back the chunk of a line that is too dear for the credit of its key. */
async function withDearLine(t: Test, nodes: number) {
  const cluster = await BatchCluster.start(t, nodes);
  await cluster.addWorkspace('poor', 20_000n);
  const key = await cluster.key(null, 'poor');
  const [a] = cluster.nodes as [ClusterNode];
  let prepared = 0;
  for (const { engine } of cluster.nodes) {
    const { prepare } = engine;
    engine.prepare = (task) => {
      prepared += 1;
      return prepare.call(engine, task);
    };
  }
  const dear = await a.submit(key, line('x'.repeat(60)));
  const claimed = async () => {
    const [row] = await cluster.sql<{ count: number }>(
      'SELECT count(node)::int AS count FROM batch_chunks WHERE batch = $1',
      [dear],
    );
    return row?.count ?? 0;
  };
  const skip = (ms: number) => {
    for (const { clock } of cluster.nodes) clock.skip(ms);
  };
  /** The line is tried, and its chunk given back. Returns how often it was prepared. */
  const triedAgain = async () => {
    const before = prepared;
    skip(RESTED_MS);
    await until(() => prepared > before);
    await givenBack();
    return prepared - before;
  };
  const givenBack = async () => {
    await until(async () => (await claimed()) > 0);
    skip(GIVEN_BACK_MS);
    await until(async () => (await claimed()) === 0);
  };
  await until(() => prepared > 0);
  await givenBack();
  return { cluster, a, key, dear, skip, triedAgain };
}

for (const nodes of [1, 2])
  test(
    `when the batch of a line that is too dear is cancelled, the key’s later batches run: ${nodes} nodes`,
    NEEDS_POSTGRES,
    async (t) => {
      const { cluster, a, key, dear, skip, triedAgain } = await withDearLine(t, nodes);
      // Without a cancel, it is tried about once after every rest, by each node at most.
      for (let round = 0; round < 2; round += 1) t.ok((await triedAgain()) <= nodes, 'no busy loop');
      t.match(await a.cancel(key, dear), { status: 'cancelled' });
      const small = await a.submit(key, line('c'));
      skip(RESTED_MS);
      await until(async () => (await a.show(key, small)).finished_at !== null);
      t.match(await a.show(key, small), { status: 'done', counts: { done: 1 } });
      t.equal(await cluster.charged(key), 1);
      for (const { troubles } of cluster.nodes) t.strictSame(troubles, []);
    },
  );
