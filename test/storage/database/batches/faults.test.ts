import { test } from 'tap';
import type { Key } from '../../../../src/access/index.js';
import { lines } from '../../../support/batch/world.js';
import { BatchCluster, type ClusterNode } from '../../../support/cluster/batch-cluster.js';
import { NEEDS_POSTGRES, postgres } from '../../../support/postgres.js';
import { random } from '../../../support/random.js';
import { LONG, scaled } from '../../../support/scale.js';
import { until } from '../../../support/until.js';

const STEPS = scaled({ short: 60, long: 200 });
const STEP_MS = 40;
const NODES = 3;
const BATCHES = LONG ? 12 : 5;
/** Lines that a node has in progress: few, so that there is work to the end. */
const ROOM = LONG ? 4 : 16;

/** What happens in a step, and how often in a hundred. */
type Fault = 'kill' | 'thaw' | 'restart' | 'cancel' | 'nothing';
const FAULTS: ReadonlyArray<readonly [Fault, number]> = [
  ['kill', 4],
  ['thaw', 6],
  ['restart', 1],
  ['cancel', 1],
  ['nothing', 88],
];

const SEEDS = LONG ? [1, 2, 3] : [1];
for (const seed of SEEDS) {
  test(`nodes are stopped and the database crashes: seed ${seed}`, NEEDS_POSTGRES, async (t) => {
    const cluster = await BatchCluster.start(t, NODES);
    const { integer, pick } = random(seed);
    for (const { engine } of cluster.nodes) Object.assign(engine, { answersAtOnce: false, room: ROOM });
    const keys = [await cluster.key(), await cluster.key()];
    const batches: { readonly key: Key; readonly id: string; readonly lines: number }[] = [];
    for (let at = 0; at < BATCHES; at += 1) {
      const [key, count] = [pick(keys), 200 + integer(900)];
      const id = await pick(cluster.nodes).submit(key, lines(`b${at}-`, count));
      batches.push({ key, id, lines: count });
    }
    const stopped = new Set<ClusterNode>();
    const running = () => cluster.nodes.filter((node) => !stopped.has(node));
    const make: Record<Fault, () => Promise<void>> = {
      kill: async () => {
        if (running().length === 1) return;
        const node = pick(running());
        stopped.add(node);
        await node.kill();
      },
      thaw: async () => {
        const [node] = stopped;
        if (node === undefined) return;
        stopped.delete(node);
        node.clock.thaw();
      },
      restart: async () => {
        const server = await postgres();
        await server.stop('immediate');
        await server.start();
      },
      cancel: async () => {
        const { key, id } = pick(batches);
        // It may have finished, and the database may be away.
        await pick(running())
          .cancel(key, id)
          .catch(() => {});
      },
      nothing: async () => {},
    };
    for (let step = 0; step < STEPS; step += 1) {
      let place = integer(100);
      const fault = FAULTS.find(([, share]) => {
        place -= share;
        return place < 0;
      });
      // The statements of the test itself may meet the restart of the database.
      await make[fault?.[0] ?? 'nothing']().catch(() => {});
      for (const { engine } of cluster.nodes) engine.answerAll();
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
    for (const node of stopped) node.clock.thaw();
    for (const { engine } of cluster.nodes) engine.answersAtOnce = true;
    for (const { engine } of cluster.nodes) engine.answerAll();
    const [first] = cluster.nodes as [ClusterNode];
    const done = new Map(keys.map(({ id }) => [id, 0]));
    for (const { key, id, lines: count } of batches) {
      await until(async () => (await first.show(key, id).catch(() => null))?.finished_at != null);
      const { counts } = await first.show(key, id);
      t.equal(counts.done + counts.failed, count);
      const results = await first.results(key, id);
      t.equal(results.length, count);
      t.equal(results.filter(({ status }) => status === 200).length, counts.done);
      done.set(key.id, (done.get(key.id) ?? 0) + counts.done);
    }
    for (const node of cluster.nodes) await node.end();
    for (const key of keys) t.equal(await cluster.charged(key), done.get(key.id), 'charged once');
    for (const { troubles } of cluster.nodes) {
      const unexpected = troubles.filter((trouble) => !/^(DatabaseUnavailable|CommitUnknown)/.test(trouble));
      t.strictSame(unexpected, []);
    }
  });
}
