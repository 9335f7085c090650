import { test } from 'tap';
import { LIMITS } from '../../../../src/api/index.js';
import { removeStale } from '../../../../src/storage/database/batches/tables/deletion.js';
import {
  findSubmission,
  putSubmission,
} from '../../../../src/storage/database/batches/tables/submissions.js';
import { lines, reason } from '../../../support/batch/world.js';
import { BatchCluster, type ClusterNode } from '../../../support/cluster/batch-cluster.js';
import { NEEDS_POSTGRES } from '../../../support/postgres.js';
import { until } from '../../../support/until.js';

async function twoNodes(t: Parameters<typeof BatchCluster.start>[0]) {
  const cluster = await BatchCluster.start(t, 2);
  for (const { engine } of cluster.nodes) engine.room = 0;
  const [a, b] = cluster.nodes as [ClusterNode, ClusterNode];
  return { cluster, a, b, key: await cluster.key() };
}

test('the same submission to two nodes makes one batch', NEEDS_POSTGRES, async (t) => {
  const { cluster, a, b, key } = await twoNodes(t);
  const options = { idempotencyKey: 'once' };
  const ids = await Promise.all([a, b, a, b].map((node) => node.submit(key, lines('a', 300), options)));
  t.equal(new Set(ids).size, 1);
  t.equal(await b.submit(key, lines('a', 300), options), ids[0]);
  t.match(await reason(b.submit(key, lines('b', 1), options)), { type: 'idempotency_conflict' });
  const other = await cluster.key();
  t.not(await b.submit(other, lines('a', 300), options), ids[0], 'of another key');
  t.strictSame(await cluster.sql('SELECT count(*)::int AS batches FROM batches'), [{ batches: 2 }]);
  await cluster.sql('UPDATE submissions SET at = at - 24 * 3600 * 1000');
  t.not(await a.submit(key, lines('b', 1), options), ids[0], 'a day later');
});

test('the limit of open batches holds over all nodes', NEEDS_POSTGRES, async (t) => {
  const { cluster, a, b, key } = await twoNodes(t);
  const sent = Array.from({ length: LIMITS.batchesOpen + 5 }, (_, at) =>
    reason((at % 2 === 0 ? a : b).submit(key, lines(`n${at}-`, 1))),
  );
  const refused = (await Promise.all(sent)).filter((error) => error !== undefined);
  t.equal(refused.length, 5);
  for (const error of refused) t.match(error, { type: 'too_many_batches' });
  const numbers = await cluster.sql<{ number: number }>('SELECT number FROM batches ORDER BY number');
  t.strictSame(
    numbers.map(({ number }) => number),
    Array.from({ length: LIMITS.batchesOpen }, (_, at) => at),
  );
  const [{ id } = { id: '' }] = await cluster.sql<{ id: string }>('SELECT id FROM batches LIMIT 1');
  await b.cancel(key, id);
  await a.submit(key, lines('again', 1));
  t.match(await reason(b.submit(key, lines('more', 1))), { type: 'too_many_batches' });
});

test('every node lists, shows and cancels the batches of a key, and no others', NEEDS_POSTGRES, async (t) => {
  const { cluster, a, b, key } = await twoNodes(t);
  const other = await cluster.key();
  const ids: string[] = [];
  for (let at = 0; at < 5; at += 1) ids.push(await (at % 2 === 0 ? a : b).submit(key, lines(`n${at}-`, 2)));
  t.strictSame(
    (await b.list(key)).data.map(({ id }) => id),
    ids,
  );
  const page = await a.list(key, { limit: 2, after: ids[1] as string });
  t.strictSame(
    page.data.map(({ id }) => id),
    ids.slice(2, 4),
  );
  t.equal(page.has_more, true);
  t.equal((await b.list(key, { limit: 1, after: ids[3] as string })).has_more, false);
  t.strictSame((await b.list(other)).data, []);
  t.match(await reason(a.list(other, { after: ids[0] as string })), { type: 'invalid_request' });
  t.match(await reason(b.show(other, ids[0] as string)), { type: 'batch_not_found' });
  t.match(await reason(b.cancel(other, ids[0] as string)), { type: 'batch_not_found' });
  t.match(await reason(b.text(other, ids[0] as string)), { type: 'batch_not_found' });
  t.match(await reason(b.text(key, ids[0] as string)), { type: 'batch_not_finished' });
  t.match(await reason(b.show(key, 'batch_x')), { type: 'batch_not_found' });
});

test('a long list is read in pieces', NEEDS_POSTGRES, async (t) => {
  const { cluster, a, key } = await twoNodes(t);
  const id = await a.submit(key, lines('a', 1));
  await a.cancel(key, id);
  await cluster.sql(
    `INSERT INTO batches SELECT (jsonb_populate_record(b, jsonb_build_object(
       'id', 'batch_' || lpad(n::text, 24, '0'), 'number', n))).*
     FROM batches b, generate_series(1, 400) AS n`,
  );
  const all = (await a.list(key)).data.map((batch) => batch.id);
  t.equal(all.length, 401);
  t.equal(new Set(all).size, 401);
  t.equal((await a.list(key, { limit: 300, after: id })).data.length, 300);
});

test('stored bytes are bounded, in all and by workspace', NEEDS_POSTGRES, async (t) => {
  const { cluster, a, b, key } = await twoNodes(t);
  await cluster.addWorkspace('v');
  const other = await cluster.key(null, 'v');
  await a.submit(key, lines('a', 1_000));
  const [{ bytes } = { bytes: 0 }] = await cluster.sql<{ bytes: number }>(
    'SELECT stored_lines + stored_other AS bytes FROM batches',
  );
  t.ok(bytes > 60_000);
  cluster.workspacePercent = 50;
  cluster.storedBytesMax = 2 * bytes;
  t.match(await reason(b.submit(key, lines('b', 1))), { type: 'batch_unavailable', message: /50 %/ });
  await b.submit(other, lines('b', 1));
  cluster.storedBytesMax = bytes;
  t.match(await reason(a.submit(other, lines('c', 1))), { type: 'batch_unavailable', message: /no room/ });
});

test('a key that has ended in the database submits nothing', NEEDS_POSTGRES, async (t) => {
  const { cluster, a, key } = await twoNodes(t);
  await cluster.sql('UPDATE keys SET revoked = 1');
  t.match(await reason(a.submit(key, lines('a', 1))), { type: 'unauthorized' });
  t.strictSame(await cluster.sql('SELECT id FROM batches'), []);
  t.strictSame(await cluster.sql('SELECT owner FROM data_keys'), []);
});

test('a batch of the largest size is stored and read', NEEDS_POSTGRES, async (t) => {
  const { a, b, key } = await twoNodes(t);
  const file = lines('a', LIMITS.batchLines);
  const id = await a.submit(key, file);
  t.match(await b.show(key, id), { counts: { pending: LIMITS.batchLines } });
  await b.cancel(key, id);
  await until(async () => (await a.show(key, id)).finished_at !== null);
  const text = await a.text(key, id);
  t.equal(text.split('\n').length, LIMITS.batchLines + 1);
  t.match(text, /cancelled/);
});

test('while the database is away, nothing is stored and nothing is found', NEEDS_POSTGRES, async (t) => {
  const { a, b, key } = await twoNodes(t);
  const id = await a.submit(key, lines('a', 1));
  await b.database.close();
  const submitted = await reason(b.submit(key, lines('b', 1)));
  t.match(submitted, { type: 'batch_unavailable' });
  t.match(await reason(b.cancel(key, id)), { type: 'overloaded' });
  t.match(await reason(b.show(key, id)), { type: 'overloaded' });
  t.match(await reason(b.list(key)), { type: 'overloaded' });
  t.match(await reason(b.text(key, id)), { type: 'overloaded' });
});

test(
  'an idempotency key that is used again while old ones are removed is kept',
  NEEDS_POSTGRES,
  async (t) => {
    const cluster = await BatchCluster.start(t, 0);
    const { database } = cluster;
    const { id } = await cluster.key();
    const idempotency = { digest: 'digest', body: 'body', fileDigest: '' };
    await database.transaction((transaction) => putSubmission(transaction, id, idempotency, 'old', 1));
    let removal = Promise.resolve();
    await database.transaction(async (transaction) => {
      await putSubmission(transaction, id, idempotency, 'new', Date.now());
      removal = removeStale(database, new AbortController().signal);
      // It waits for this transaction.
      await until(async () => {
        const waiting = await cluster.sql(
          `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return waiting.length > 0;
      });
    });
    await removal;
    t.equal(await findSubmission(database, id, idempotency), 'new');
  },
);
