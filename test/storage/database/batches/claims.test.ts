import { test } from 'tap';
import type { Workspace } from '../../../../src/access/index.js';
import type { LineTries } from '../../../../src/batch/index.js';
import { claimCandidates, claimChunk } from '../../../../src/storage/database/batches/tables/claims.js';
import {
  addCounts,
  endChunks,
  finishIfSettled,
  insertResults,
} from '../../../../src/storage/database/batches/tables/work.js';
import { fenced } from '../../../../src/storage/database/session/fenced.js';
import { line, lines } from '../../../support/batch/world.js';
import { BatchCluster, type ClusterNode } from '../../../support/cluster/batch-cluster.js';
import { NEEDS_POSTGRES } from '../../../support/postgres.js';
import { until } from '../../../support/until.js';

/** For what takes 10 s, on a busy machine. */
const PATIENCE_MS = 240_000;

/** A cluster whose only node claims nothing. */
async function idle(t: Parameters<typeof BatchCluster.start>[0]) {
  const cluster = await BatchCluster.start(t, 1);
  const [node] = cluster.nodes as [ClusterNode];
  node.isStale = true;
  const { database } = cluster;
  await cluster.sql(`INSERT INTO nodes (name, version, format, started, seen, expires)
    SELECT 'other', '', 1, 0, 0, 9000000000000000 FROM generate_series(1, 2)`);
  const others = await cluster.sql<{ id: number }>(`SELECT id FROM nodes WHERE name = 'other' ORDER BY id`);
  const claim = async (session: number, skip: readonly string[] = []) => {
    for (const { id } of await claimCandidates(database, { keys: skip, batches: [], models: [] })) {
      const found = await database.transaction((transaction) => claimChunk(transaction, id, session));
      if (found !== null) return found;
    }
    return null;
  };
  return { cluster, node, claim, sessions: others.map(({ id }) => id) as [number, number] };
}

test('keys take turns, and of each key the oldest batch goes first', NEEDS_POSTGRES, async (t) => {
  const { cluster, node, claim, sessions } = await idle(t);
  const [a, b, c] = [await cluster.key(), await cluster.key(), await cluster.key()];
  const names = new Map<string, string>();
  const submit = async (key: typeof a, name: string, chunks: number) =>
    names.set(await node.submit(key, lines(name, chunks * 256)), name);
  await submit(a, 'a', 3);
  await submit(a, 'A', 1);
  await submit(b, 'b', 2);
  await submit(c, 'c', 2);
  await submit(b, 'B', 1);
  const order: string[] = [];
  for (let at = 0; ; at += 1) {
    const found = await claim(sessions[at % 2] as number);
    if (found === null) break;
    order.push(`${names.get(found.batch.id)}${found.chunk.chunk}`);
  }
  t.equal(order.join(' '), 'a0 b0 c0 a1 b1 c1 a2 B0 A0');
  const [first] = sessions;
  t.equal(await claim(first, []), null, 'all are claimed');
  await cluster.sql('UPDATE batch_chunks SET node = NULL');
  t.equal((await claim(first, [a.id, b.id]))?.batch.key, c.id, 'keys that are left out');
});

test('a chunk is claimed once, however many nodes try at the same time', NEEDS_POSTGRES, async (t) => {
  const { cluster, node, claim, sessions } = await idle(t);
  const key = await cluster.key();
  await node.submit(key, lines('a', 20 * 256));
  const claims = await Promise.all(Array.from({ length: 25 }, (_, at) => claim(sessions[at % 2] as number)));
  const chunks = claims.flatMap((each) => (each === null ? [] : [each.chunk.chunk]));
  t.equal(chunks.length, 20);
  t.equal(new Set(chunks).size, 20);
});

test('a result of a chunk that is not the session’s is not stored', NEEDS_POSTGRES, async (t) => {
  const { cluster, node, claim, sessions } = await idle(t);
  const key = await cluster.key();
  const id = await node.submit(key, lines('a', 512));
  const { database } = cluster;
  await claim(sessions[0]);
  await claim(sessions[1]);
  const put = (session: number, chunk: number, at: number) =>
    database.transaction((transaction) =>
      insertResults(transaction, session, [{ batch: id, chunk, line: at, sealed: Buffer.from('x') }]),
    );
  await put(sessions[0], 0, 0);
  await t.rejects(put(sessions[1], 0, 1), /not claimed/);
  await t.rejects(put(sessions[0], 0, 0), /batch_results_pkey/, 'a second result');
  const end = (session: number) =>
    database.transaction((transaction) =>
      endChunks(transaction, session, [{ batch: id, chunk: 0, settled: true }]),
    );
  await end(sessions[1]);
  t.match(await cluster.sql('SELECT open, node FROM batch_chunks WHERE chunk = 0'), [{ open: true }]);
  await end(sessions[0]);
  t.strictSame(await cluster.sql('SELECT open, node FROM batch_chunks WHERE chunk = 0'), [
    { open: false, node: null },
  ]);
  t.equal((await claim(sessions[1]))?.chunk, undefined);
});

test(
  'a chunk that is claimed again has the tries with which it was given back last',
  NEEDS_POSTGRES,
  async (t) => {
    const { cluster, node, claim, sessions } = await idle(t);
    const id = await node.submit(await cluster.key(), lines('a', 3));
    const [session] = sessions;
    const end = (tried?: readonly LineTries[]) =>
      cluster.database.transaction((transaction) =>
        endChunks(transaction, session, [{ batch: id, chunk: 0, settled: false, ...(tried && { tried }) }]),
      );
    t.strictSame((await claim(session))?.tried, []);
    const tried = [
      { line: 0, tries: 4, alone: false },
      { line: 2, tries: 0, alone: true },
    ];
    await end(tried);
    t.strictSame((await claim(session))?.tried, tried);
    await end();
    t.strictSame((await claim(session))?.tried, tried, 'a chunk that did not run keeps them');
    await end([]);
    t.strictSame((await claim(session))?.tried, []);
  },
);

test('a chunk that is claimed again has its results', NEEDS_POSTGRES, async (t) => {
  const { cluster, node, claim, sessions } = await idle(t);
  const key = await cluster.key();
  const id = await node.submit(key, [lines('a', 256), line('last')].join('\n'));
  await cluster.sql(`INSERT INTO batch_results VALUES ($1, 3, ''), ($1, 255, ''), ($1, 256, '')`, [id]);
  const first = await claim(sessions[0]);
  t.match(first, { chunk: { chunk: 0, first: 0, lines: 256 }, resolved: [3, 255], aborts: [] });
  t.match(await claim(sessions[0]), { chunk: { chunk: 1, first: 256, lines: 1 }, resolved: [256] });
});

test(
  'lines wait for credit without delaying another workspace, and their chunk goes back',
  NEEDS_POSTGRES,
  async (t) => {
    const cluster = await BatchCluster.start(t, 1);
    const [node] = cluster.nodes as [ClusterNode];
    await cluster.addWorkspace('poor', 1n);
    const [poor, rich] = [await cluster.key(null, 'poor'), await cluster.key()];
    const waits = await node.submit(poor, lines('p', 300));
    const claimed = async () => {
      const [row] = await cluster.sql<{ count: number }>(
        'SELECT count(node)::int AS count FROM batch_chunks WHERE batch = $1',
        [waits],
      );
      return row?.count;
    };
    await until(async () => ((await claimed()) ?? 0) > 0);
    const id = await node.submit(rich, lines('r', 300));
    await until(async () => (await node.show(rich, id)).finished_at !== null);
    t.match(await node.show(poor, waits), { status: 'queued', counts: { pending: 300 } });
    node.clock.skip(16_000);
    await until(async () => (await claimed()) === 0);
    await cluster.grant('poor', 10n ** 12n);
    node.clock.skip(11_000);
    await until(async () => (await node.show(poor, waits)).finished_at !== null);
    t.match(await node.show(poor, waits), { status: 'done', counts: { done: 300 } });
    t.equal(await cluster.charged(poor), 300);
    t.strictSame(node.troubles, []);
  },
);

test('a node that claims a batch knows the models that its submission knew', NEEDS_POSTGRES, async (t) => {
  const cluster = await BatchCluster.start(t, 2);
  const [a, b] = cluster.nodes as [ClusterNode, ClusterNode];
  a.isStale = true;
  const workspace = cluster.workspaces.get('w') as Workspace;
  b.outdated.set('w', { ...workspace, models: ['other'] });
  const key = await cluster.key();
  const id = await a.submit(key, lines('a', 3));
  await until(async () => (await a.show(key, id)).finished_at !== null);
  t.match(await a.show(key, id), { counts: { done: 3, failed: 0 } });
});

test('a claim whose outcome is unknown is given back', NEEDS_POSTGRES, async (t) => {
  const cluster = await BatchCluster.start(t, 1);
  const [node] = cluster.nodes as [ClusterNode];
  node.isStale = true;
  const key = await cluster.key();
  const id = await node.submit(key, lines('a', 300));
  await cluster.sql('UPDATE batch_chunks SET node = $1 WHERE chunk = 0', [node.session.id]);
  node.isStale = false;
  await until(async () => (await node.show(key, id)).finished_at !== null);
  t.equal(await cluster.charged(key), 300);
  t.strictSame(node.troubles, []);
});

test('a batch of a model that a node does not have is left to other nodes', NEEDS_POSTGRES, async (t) => {
  const cluster = await BatchCluster.start(t, 2);
  const [a, b] = cluster.nodes as [ClusterNode, ClusterNode];
  a.engine.missing.add('m1');
  const key = await cluster.key();
  const id = await a.submit(key, line('only', 'x', 'm1'));
  const other = await a.submit(key, lines('a', 3));
  await until(async () => (await a.show(key, id)).finished_at !== null);
  await until(async () => (await a.show(key, other)).finished_at !== null);
  t.match(await a.show(key, id), { status: 'done' });
  t.notOk(a.engine.started.includes('only'));
  t.ok(b.engine.started.includes('only'));
});

test(
  'a session whose claim was taken away writes nothing, and the node registers again',
  NEEDS_POSTGRES,
  async (t) => {
    const cluster = await BatchCluster.start(t, 1);
    const [node] = cluster.nodes as [ClusterNode];
    Object.assign(node.engine, { answersAtOnce: false, room: 4 });
    const key = await cluster.key();
    const id = await node.submit(key, lines('a', 10));
    await until(() => node.engine.waiting.size > 0);
    const session = node.session.id;
    // Of a session that does not exist: while it is free, the node could claim it again.
    await cluster.sql('UPDATE batch_chunks SET node = -1');
    node.engine.answersAtOnce = true;
    node.engine.answerAll();
    await until(() => node.session.id !== null && node.session.id !== session);
    await cluster.sql('UPDATE batch_chunks SET node = NULL');
    await until(async () => (await node.show(key, id)).finished_at !== null);
    t.equal(await cluster.charged(key), 10);
    t.equal((await node.results(key, id)).length, 10);
    t.match(node.troubles, [/SessionDefect/]);
  },
);

test(
  'nothing of a batch is claimed after its cancel, and it finishes with its last claim',
  NEEDS_POSTGRES,
  async (t) => {
    const { cluster, node, claim, sessions } = await idle(t);
    const key = await cluster.key();
    const id = await node.submit(key, lines('a', 600));
    const { database } = cluster;
    t.match(await claim(sessions[0]), { chunk: { chunk: 0 } });
    t.match(await node.cancel(key, id), { status: 'cancelled', finished_at: null });
    const again = () =>
      database.transaction((transaction) => claimChunk(transaction, id, sessions[1] as number));
    t.equal(await again(), null);
    const finish = () => database.transaction((transaction) => finishIfSettled(transaction, id));
    t.match(await finish(), { state: 'cancelling' });
    await database.transaction((transaction) =>
      endChunks(transaction, sessions[0], [{ batch: id, chunk: 0, settled: false }]),
    );
    t.match(await finish(), { state: 'cancelled', failed: 600 });
    t.equal(await again(), null);
    t.match(await finish(), { state: 'cancelled' }, 'again');
  },
);

test('a batch whose first line was stored after its cancel has started', NEEDS_POSTGRES, async (t) => {
  const { cluster, node, claim, sessions } = await idle(t);
  const key = await cluster.key();
  const id = await node.submit(key, lines('a', 3));
  const { database } = cluster;
  await claim(sessions[0]);
  t.match(await node.cancel(key, id), { status: 'cancelled', started_at: null, finished_at: null });
  await database.transaction(async (transaction) => {
    await addCounts(transaction, [{ batch: id, done: 1, failed: 0, stored: 0, started: true }]);
    await endChunks(transaction, sessions[0], [{ batch: id, chunk: 0, settled: false }]);
  });
  const finished = await database.transaction((transaction) => finishIfSettled(transaction, id));
  t.match(finished, { state: 'cancelled', done: 1, failed: 2, started: Number });
});

test('a session that has ended claims nothing', NEEDS_POSTGRES, async (t) => {
  const { cluster, node, sessions } = await idle(t);
  const key = await cluster.key();
  const id = await node.submit(key, lines('a', 1));
  const lost: number[] = [];
  const claim = (session: number) =>
    fenced(cluster.database, { lost: (each) => void lost.push(each) }, session, (transaction) =>
      claimChunk(transaction, id, session),
    );
  await cluster.sql('DELETE FROM nodes WHERE id = $1', [sessions[0]]);
  await t.rejects(claim(sessions[0]), { name: 'SessionLost' });
  t.strictSame(lost, [sessions[0]]);
  t.equal((await claim(sessions[1]))?.batch.id, id);
});

test('keys without credit do not delay a key that has some', NEEDS_POSTGRES, async (t) => {
  const cluster = await BatchCluster.start(t, 1);
  const [node] = cluster.nodes as [ClusterNode];
  node.isStale = true;
  await cluster.addWorkspace('poor', 1n);
  // More than a node claims chunks of at a time, and each has more lines than a node wants to wait.
  for (let at = 0; at < 18; at += 1) await node.submit(await cluster.key(null, 'poor'), lines('p', 100));
  const rich = await cluster.key();
  const id = await node.submit(rich, lines('r', 12 * 256));
  node.isStale = false;
  // It takes about 10 s: one of the first chunks of the others is claimed every half a second.
  await until(async () => (await node.show(rich, id)).finished_at !== null, PATIENCE_MS);
  t.equal(await cluster.charged(rich), 12 * 256);
  t.strictSame(node.troubles, []);
});

test('a batch that cannot be read does not delay its key’s other batches', NEEDS_POSTGRES, async (t) => {
  const cluster = await BatchCluster.start(t, 1);
  const [node] = cluster.nodes as [ClusterNode];
  node.isStale = true;
  const key = await cluster.key();
  const damaged = await node.submit(key, lines('d', 300));
  const id = await node.submit(key, lines('a', 300));
  await cluster.sql('DELETE FROM data_keys WHERE owner = $1', [damaged]);
  node.isStale = false;
  await until(async () => (await node.show(key, id)).finished_at !== null);
  t.match(await node.show(key, damaged), { status: 'queued', counts: { pending: 300 } });
  t.match(node.troubles, [/no data key/]);
});

test('chunks of ended keys and windows are not claimed', NEEDS_POSTGRES, async (t) => {
  const cluster = await BatchCluster.start(t, 2);
  const [a, b] = cluster.nodes as [ClusterNode, ClusterNode];
  // The node with the duty does nothing more, and its session does not expire.
  a.isStale = true;
  await until(async () => (await cluster.sql('SELECT node FROM duties')).length === 1);
  const [duty] = await cluster.sql<{ node: number }>('SELECT node FROM duties');
  const [keeper, worker] = duty?.node === a.session.id ? [a, b] : [b, a];
  for (const node of [a, b]) node.isStale = true;
  keeper.clock.freeze();
  await cluster.sql('UPDATE nodes SET expires = 9000000000000000 WHERE id = $1', [keeper.session.id]);
  const [revoked, expired] = [await cluster.key(), await cluster.key()];
  await worker.submit(revoked, lines('r', 2_560));
  const late = await worker.submit(expired, lines('e', 2_560));
  await cluster.revoke(revoked);
  await cluster.sql('UPDATE batches SET expires = 1 WHERE id = $1', [late]);
  worker.isStale = false;
  const looked = () => worker.database.statements.get('batch-claim-candidates') ?? 0;
  const before = looked();
  await until(() => looked() > before + 3);
  t.equal(worker.database.statements.get('batch-claim') ?? 0, 0);
  t.strictSame(worker.troubles, []);
});
