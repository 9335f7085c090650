import { test } from 'tap';
import { countAbort } from '../../../../src/storage/database/batches/tables/aborts.js';
import { line, lines, World } from '../../../support/batch/world.js';
import { BatchCluster, type ClusterNode } from '../../../support/cluster/batch-cluster.js';
import { NEEDS_POSTGRES } from '../../../support/postgres.js';
import { LONG } from '../../../support/scale.js';
import { until } from '../../../support/until.js';

const LINES = LONG ? 10_000 : 1_000;

/** Two nodes whose engines answer nothing yet. */
async function twoNodes(t: Parameters<typeof BatchCluster.start>[0]) {
  const cluster = await BatchCluster.start(t, 2);
  for (const { engine } of cluster.nodes) Object.assign(engine, { answersAtOnce: false, room: 8 });
  const [a, b] = cluster.nodes as [ClusterNode, ClusterNode];
  return { cluster, a, b, key: await cluster.key() };
}

function answerAll({ engine }: ClusterNode): void {
  engine.answersAtOnce = true;
  engine.answerAll();
}

const ids = (count: number) => Array.from({ length: count }, (_, at) => `a${at}`);

test('a batch is worked on by the node that took it and by another', NEEDS_POSTGRES, async (t) => {
  const { cluster, a, b, key } = await twoNodes(t);
  const id = await a.submit(key, lines('a', LINES));
  await until(() => a.engine.started.length > 0 && b.engine.started.length > 0);
  cluster.nodes.forEach(answerAll);
  await until(async () => (await b.show(key, id)).finished_at !== null);
  t.match(await b.show(key, id), { status: 'done', counts: { done: LINES, failed: 0, pending: 0 } });
  t.strictSame(
    (await b.results(key, id)).map(({ custom_id }) => custom_id),
    ids(LINES),
  );
  t.equal(await cluster.charged(key), LINES);
  for (const { troubles } of cluster.nodes) t.strictSame(troubles, []);
  t.strictSame(await cluster.sql('SELECT batch FROM batch_chunks'), []);
  t.strictSame(await cluster.sql('SELECT batch FROM batch_lines'), []);
});

test('a node is killed: every line has one result and one charge', NEEDS_POSTGRES, async (t) => {
  const { cluster, a, b, key } = await twoNodes(t);
  const id = await a.submit(key, lines('a', LINES));
  await until(() => a.engine.started.length > 0 && b.engine.started.length > 0);
  for (let count = 0; count < 20; count += 1) {
    a.engine.answerAll();
    b.engine.answerAll();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await a.kill();
  answerAll(a);
  answerAll(b);
  await until(async () => (await b.show(key, id)).finished_at !== null);
  t.match(await b.show(key, id), { status: 'done', counts: { done: LINES, failed: 0, pending: 0 } });
  t.strictSame(
    (await b.results(key, id)).map(({ custom_id }) => custom_id),
    ids(LINES),
  );
  t.equal(await cluster.charged(key), LINES);
  t.ok(a.engine.started.length > 0 && a.engine.started.length + b.engine.started.length >= LINES);
  t.strictSame(b.troubles, []);
});

test('a node that was stopped for a while writes nothing of its old session', NEEDS_POSTGRES, async (t) => {
  const { cluster, a, b, key } = await twoNodes(t);
  const id = await a.submit(key, lines('a', 600));
  await until(() => a.engine.started.length > 0);
  const session = a.session.id;
  await a.kill();
  await until(async () => (await cluster.sql('SELECT id FROM nodes')).length === 1);
  const answered = [...a.engine.waiting.keys()];
  t.ok(answered.length > 0);
  // It answers the lines that it had begun, and then notices that its session is gone.
  a.engine.answerAll();
  a.clock.thaw();
  await until(() => a.session.id !== null && a.session.id !== session);
  t.equal(await cluster.charged(key), 0);
  t.strictSame(await cluster.sql('SELECT line FROM batch_results'), []);
  answerAll(a);
  answerAll(b);
  await until(async () => (await b.show(key, id)).finished_at !== null);
  t.match(await a.show(key, id), { status: 'done', counts: { done: 600, failed: 0, pending: 0 } });
  t.equal(await cluster.charged(key), 600);
  t.strictSame(b.troubles, []);
});

test('a node that ends gives its chunks back at once', NEEDS_POSTGRES, async (t) => {
  const { cluster, a, b, key } = await twoNodes(t);
  b.engine.room = 0;
  const id = await a.submit(key, lines('a', 300));
  await until(() => a.engine.started.length > 0);
  await a.end();
  b.engine.room = 8;
  answerAll(b);
  await until(async () => (await b.show(key, id)).finished_at !== null);
  t.match(await b.show(key, id), { status: 'done', counts: { done: 300 } });
  t.equal(await cluster.charged(key), 300);
});

test('results are byte for byte those of the data folder', NEEDS_POSTGRES, async (t) => {
  const file = [
    ...Array.from({ length: 300 }, (_, at) => line(`a${at}`, 'x'.repeat(at * 7))),
    line('other', { big: 'y'.repeat(200_000) }, 'm1'),
    line('refused'),
  ].join('\n');
  const refused = { ok: false, type: 'invalid_request', message: 'no' } as never;
  const world = await World.start(t);
  world.engine.refusals.set('refused', refused);
  const stored = world.key();
  const storedId = await world.submit(stored, file);
  await world.finished(stored, storedId);
  const { pieces } = await world.batches.results(world.caller(stored), storedId);
  const expected: Uint8Array[] = [];
  for await (const piece of pieces) expected.push(piece);
  const { a, b, key } = await twoNodes(t);
  for (const node of [a, b]) {
    node.engine.refusals.set('refused', refused);
    answerAll(node);
  }
  const id = await b.submit(key, file);
  await until(async () => (await a.show(key, id)).finished_at !== null);
  t.equal(await a.text(key, id), Buffer.concat(expected).toString());
  t.match(await a.show(key, id), { counts: { done: 301, failed: 1, pending: 0 } });
});

test(
  'a line that was in progress at an abort runs alone, and fails after the second',
  NEEDS_POSTGRES,
  async (t) => {
    const { cluster, a, b, key } = await twoNodes(t);
    b.engine.room = 0;
    a.engine.room = 0;
    // A node reads the aborts when it claims lines.
    b.isStale = true;
    const id = await a.submit(key, lines('a', 3));
    const abort = (number: string, at: number) => ({
      id: number,
      reason: 'assertion',
      labels: [`${id} ${at}`],
    });
    t.equal(await countAbort(cluster.database, abort('x', 0)), 1);
    t.equal(await countAbort(cluster.database, abort('x', 0)), 0, 'counted once');
    await countAbort(cluster.database, abort('x', 1));
    t.equal(await countAbort(cluster.database, abort('y', 1)), 1);
    await a.end();
    b.isStale = false;
    b.engine.room = 8;
    answerAll(b);
    await until(async () => (await b.show(key, id)).finished_at !== null);
    t.match(await b.show(key, id), { counts: { done: 2, failed: 1 } });
    t.strictSame(b.engine.alone, ['a0']);
    t.notOk(b.engine.started.includes('a1'));
    t.equal(await countAbort(cluster.database, abort('z', 2)), 0, 'of a finished batch');
  },
);
