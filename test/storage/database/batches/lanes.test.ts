import { test } from 'tap';
import { BreakableEngine } from '../../../support/batch/breakable-engine.js';
import { markOf } from '../../../support/batch/test-engine.js';
import { line, lines } from '../../../support/batch/world.js';
import { BatchCluster, type ClusterNode } from '../../../support/cluster/batch-cluster.js';
import { NEEDS_POSTGRES } from '../../../support/postgres.js';
import { until } from '../../../support/until.js';

const LINES = 600;

/** Nodes of which the first one has an engine of one lane for the model `m`. Its first wave does not end. */
async function held(t: Parameters<typeof BatchCluster.start>[0], nodes: number) {
  const cluster = await BatchCluster.start(t, nodes);
  for (const { engine } of cluster.nodes) Object.assign(engine, { answersAtOnce: false, room: 0 });
  const [a] = cluster.nodes as [ClusterNode];
  const device = new BreakableEngine(a.clock);
  device.hold();
  a.engine.others.set('m', device.engine);
  const key = await cluster.key();
  const id = await a.submit(key, lines('a', LINES));
  await until(() => device.engine.waiting('batch') > 0);
  const breaks = () => {
    device.fault = 'start';
    device.letGo();
  };
  /** The node `at` answers everything from now on. */
  const works = (at: number) => {
    const { engine } = cluster.nodes[at] as ClusterNode;
    Object.assign(engine, { answersAtOnce: true, room: 64 });
    engine.answerAll();
  };
  return { cluster, a, b: cluster.nodes.at(-1) as ClusterNode, device, key, id, breaks, works };
}

test('another node runs the lines of a node whose lanes do not work', NEEDS_POSTGRES, async (t) => {
  const { cluster, b, device, key, id, breaks, works } = await held(t, 2);
  breaks();
  works(1);
  await until(async () => (await b.show(key, id)).finished_at !== null);
  t.match(await b.show(key, id), { status: 'done', counts: { done: LINES, failed: 0 } });
  t.equal(await cluster.charged(key), LINES);
  t.equal((await b.results(key, id)).length, LINES);
  t.equal(device.engine.workingLanes, 0);
  for (const { troubles } of cluster.nodes) t.strictSame(troubles, []);
});

test('a cancel finishes a batch whose lines wait for a lane', NEEDS_POSTGRES, async (t) => {
  const { cluster, a, b, key, id, breaks } = await held(t, 2);
  t.match(await b.cancel(key, id), { status: 'cancelled', finished_at: null });
  breaks();
  await until(async () => (await b.show(key, id)).finished_at !== null);
  t.match(await b.show(key, id), { status: 'cancelled', counts: { done: 0, failed: LINES } });
  t.equal(await cluster.charged(key), 0);
  t.strictSame(a.troubles, []);
});

test('the end of the window finishes a batch whose lines wait for a lane', NEEDS_POSTGRES, async (t) => {
  const { cluster, a, key, id, breaks } = await held(t, 1);
  await cluster.sql('UPDATE batches SET expires = 1');
  await until(async () => {
    const [row] = await cluster.sql<{ state: string }>('SELECT state FROM batches');
    return row?.state === 'expiring';
  });
  breaks();
  await until(async () => (await a.show(key, id)).finished_at !== null);
  t.match(await a.show(key, id), { status: 'failed', reason: 'expired', counts: { failed: LINES } });
  t.equal(await cluster.charged(key), 0);
  t.strictSame(a.troubles, []);
});

test(
  'a node whose lanes do not work runs the batches of other models, and claims again when a lane does',
  NEEDS_POSTGRES,
  async (t) => {
    const { cluster, a, device, key, id, breaks, works } = await held(t, 1);
    breaks();
    works(0);
    const other = await a.submit(key, [line('n0', 'x', 'm1'), line('n1', 'x', 'm1')].join('\n'));
    await until(async () => (await a.show(key, other)).finished_at !== null);
    t.match(await a.show(key, id), { counts: { done: 0, failed: 0, pending: LINES } });
    t.equal(device.engine.workingLanes, 0);
    await until(async () => {
      const [row] = await cluster.sql<{ claims: number }>(
        'SELECT count(node)::int AS claims FROM batch_chunks WHERE batch = $1',
        [id],
      );
      return row?.claims === 0;
    });
    device.fault = null;
    await until(async () => (await a.show(key, id)).finished_at !== null);
    t.match(await a.show(key, id), { status: 'done', counts: { done: LINES, failed: 0 } });
    t.equal(await cluster.charged(key), LINES + 2);
    t.strictSame(a.troubles, []);
  },
);

for (const nodes of [1, 2])
  test(
    `a line that makes every wave of ${nodes} node(s) fail is given up, and the others are answered`,
    NEEDS_POSTGRES,
    async (t) => {
      const cluster = await BatchCluster.start(t, nodes);
      const devices = cluster.nodes.map(({ clock, engine }) => {
        const device = new BreakableEngine(clock);
        device.poison.add('a3');
        engine.others.set('m', device.engine);
        return device;
      });
      const [a] = cluster.nodes as [ClusterNode];
      const key = await cluster.key();
      const id = await a.submit(key, lines('a', 8));
      await until(async () => (await a.show(key, id)).finished_at !== null);
      t.match(await a.show(key, id), { status: 'done', counts: { done: 7, failed: 1 } });
      const unanswered = (await a.results(key, id)).filter(({ status }) => status !== 200);
      t.match(unanswered, [{ custom_id: 'a3', status: 500, error: { type: 'internal_error' } }]);
      const waves = devices.flatMap((device) => device.waves).filter((marks) => marks.includes(markOf('a3')));
      t.equal(waves.filter(({ length }) => length === 1).length, 5, 'five tries, whoever counts them');
      t.equal(await cluster.charged(key), 7);
    },
  );
