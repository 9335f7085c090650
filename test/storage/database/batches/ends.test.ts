import { test } from 'tap';
import { CHANGES } from '../../../../src/access/index.js';
import { Callbacks } from '../../../../src/batch/index.js';
import type { WebhookOutcome } from '../../../../src/batch/webhook/webhook-outcome.js';
import { DatabaseAdministration } from '../../../../src/storage/database/administration/administration.js';
import { DataKeys } from '../../../../src/storage/database/batches/data-keys.js';
import { DatabaseCalledBatches } from '../../../../src/storage/database/batches/maintenance/called-batches.js';
import {
  deletableBatches,
  deleteBatch,
  markDeleted,
} from '../../../../src/storage/database/batches/tables/deletion.js';
import { dueWebhooks } from '../../../../src/storage/database/batches/tables/due.js';
import { lines, reason } from '../../../support/batch/world.js';
import { BatchCluster, type ClusterNode } from '../../../support/cluster/batch-cluster.js';
import { NEEDS_POSTGRES } from '../../../support/postgres.js';
import { until } from '../../../support/until.js';

const DAY_MS = 24 * 3_600 * 1_000;

/** Two nodes, of which each has begun lines of a batch and answers nothing yet. */
async function begun(t: Parameters<typeof BatchCluster.start>[0], count = 600) {
  const cluster = await BatchCluster.start(t, 2);
  for (const { engine } of cluster.nodes) Object.assign(engine, { answersAtOnce: false, room: 4 });
  const [a, b] = cluster.nodes as [ClusterNode, ClusterNode];
  const key = await cluster.key();
  const id = await a.submit(key, lines('a', count), { webhook: 'https://a.example/hook' });
  await until(() => a.engine.waiting.size > 0 && b.engine.waiting.size > 0);
  // An exchange stores the state after the first line has begun.
  await until(async () => (await a.show(key, id)).status === 'running');
  const finish = async () => {
    for (const { engine } of cluster.nodes) engine.answersAtOnce = true;
    for (const { engine } of cluster.nodes) engine.answerAll();
    await until(async () => (await b.show(key, id)).finished_at !== null);
    return b.show(key, id);
  };
  return { cluster, a, b, key, id, finish };
}

test('a cancel on one node stops the lines of all; those in progress count', NEEDS_POSTGRES, async (t) => {
  const { cluster, a, b, key, id, finish } = await begun(t);
  t.match(await b.cancel(key, id), { status: 'cancelled', finished_at: null });
  t.match(await a.cancel(key, id), { status: 'cancelled' }, 'again');
  await haveReadStates(cluster);
  const begunLines = a.engine.started.length + b.engine.started.length;
  const shown = await finish();
  t.equal(a.engine.started.length + b.engine.started.length, begunLines, 'no further line started');
  t.match(shown, { status: 'cancelled', reason: null });
  t.equal(shown.counts.done, begunLines);
  t.equal(await cluster.charged(key), begunLines);
  const results = await a.results(key, id);
  t.equal(results.length, 600);
  t.equal(results.filter(({ error }) => error?.type === 'cancelled').length, 600 - begunLines);
  t.match(await reason(a.text(key, 'batch_x')), { type: 'batch_not_found' });
  await until(() => cluster.called.length > 0);
  t.strictSame(cluster.called, [{ address: 'https://a.example/hook', id, status: 'cancelled' }]);
});

test('an erased batch: unreadable at once, stopped on all nodes, then removed', NEEDS_POSTGRES, async (t) => {
  const { cluster, a, b, key, id } = await begun(t);
  const office = new DatabaseAdministration(a.database, 'cli:ann');
  t.match(await office.change(CHANGES.eraseBatch(id)), { id, key: key.id, state: 'running' });
  t.strictSame(await cluster.sql('SELECT owner FROM data_keys'), []);
  t.strictSame(await cluster.sql('SELECT batch FROM batch_webhooks'), []);
  for (const node of [a, b]) t.match(await reason(node.show(key, id)), { type: 'batch_not_found' });
  await t.rejects(office.change(CHANGES.eraseBatch(id)), { name: 'AccessError', refusal: 'not_found' });
  await haveReadStates(cluster);
  const begunLines = a.engine.started.length + b.engine.started.length;
  for (const { engine } of cluster.nodes) {
    engine.answersAtOnce = true;
    engine.answerAll();
  }
  const row = () => cluster.sql<{ state: string }>('SELECT state FROM batches WHERE finished IS NOT NULL');
  await until(async () => (await row()).length === 1);
  t.strictSame(await row(), [{ state: 'cancelled' }]);
  t.equal(a.engine.started.length + b.engine.started.length, begunLines, 'no further line started');
  t.equal(await cluster.charged(key), begunLines, 'those in progress are charged');
  const [entry] = (await office.audit(1)).entries;
  t.match(entry, { actor: 'cli:ann', action: 'batch.erase', key: key.id });
  t.strictSame(cluster.called, [], 'its webhook is not called');
  t.ok((await deletableBatches(a.database)).includes(id));
  await deleteBatch(a.database, id);
  for (const table of ['batches', 'batch_ids', 'batch_results', 'batch_lines'])
    t.strictSame(await cluster.sql(`SELECT 1 FROM ${table}`), [], table);
});

test('a cancel of a batch of which no line is in progress finishes it at once', NEEDS_POSTGRES, async (t) => {
  const cluster = await BatchCluster.start(t, 1);
  const [a] = cluster.nodes as [ClusterNode];
  a.isStale = true;
  const key = await cluster.key();
  const id = await a.submit(key, lines('a', 3));
  const shown = await a.cancel(key, id);
  t.match(shown, { status: 'cancelled', counts: { done: 0, failed: 3, pending: 0 } });
  t.not(shown.finished_at, null);
  t.strictSame(await cluster.sql('SELECT batch FROM batch_lines'), []);
  t.match(await a.cancel(key, id), { status: 'cancelled' });
});

test(
  'a cancel by the operator is stored with its entry of the audit log, or not at all',
  NEEDS_POSTGRES,
  async (t) => {
    const { cluster, a, b, key, id } = await begun(t);
    const entries = async () => (await new DatabaseAdministration(a.database, 'cli:ann').audit(10)).entries;
    await cluster.sql(`ALTER TABLE audit ADD CONSTRAINT none CHECK (action <> 'batch.cancel')`);
    t.match(await reason(b.batches.cancelAny(id, 'operator:x')), { type: 'batch_unavailable' });
    t.match(await a.show(key, id), { status: 'running' });
    await cluster.sql('ALTER TABLE audit DROP CONSTRAINT none');
    t.match(await b.batches.cancelAny(id, 'operator:x'), { state: 'cancelling' });
    t.match(await a.batches.cancelAny(id, 'operator:y'), { state: 'cancelling' }, 'again');
    await a.cancel(key, id);
    t.match(await entries(), [
      {
        actor: 'operator:x',
        action: 'batch.cancel',
        workspace: 'w',
        key: key.id,
        changes: [{ field: 'batch', before: null, after: id }],
      },
    ]);
  },
);

test('the window ends on every node', NEEDS_POSTGRES, async (t) => {
  const { cluster, a, key, id, finish } = await begun(t);
  await cluster.sql('UPDATE batches SET expires = 1');
  await until(async () => {
    const [row] = await cluster.sql<{ state: string }>('SELECT state FROM batches');
    return row?.state === 'expiring';
  });
  t.match(await a.show(key, id), { status: 'running' });
  await haveReadStates(cluster);
  const shown = await finish();
  t.match(shown, { status: 'done', reason: null });
  t.ok(shown.counts.done > 0 && shown.counts.done < 600);
  t.equal(shown.counts.done + shown.counts.failed, 600);
  t.equal(await cluster.charged(key), shown.counts.done);
  t.ok((await a.results(key, id)).some(({ error }) => error?.type === 'expired'));
});

test('a batch whose key is revoked fails', NEEDS_POSTGRES, async (t) => {
  const { cluster, a, b, key, id, finish } = await begun(t);
  await cluster.revoke(key);
  await until(async () => (await b.show(key, id)).status === 'failed');
  t.match(await b.show(key, id), { reason: 'key_revoked' });
  t.match(await reason(a.cancel(key, id)), { type: 'batch_finished' });
  const shown = await finish();
  t.match(shown, { status: 'failed', reason: 'key_revoked' });
  t.equal(await cluster.charged(key), shown.counts.done);
});

test('a node dies with lines of a cancelled batch: another node finishes it', NEEDS_POSTGRES, async (t) => {
  const { cluster, a, b, key, id } = await begun(t);
  await b.cancel(key, id);
  b.engine.answerAll();
  await a.kill();
  await until(async () => (await b.show(key, id)).finished_at !== null);
  t.match(await b.show(key, id), { status: 'cancelled' });
  t.equal(await cluster.charged(key), (await b.show(key, id)).counts.done);
  t.strictSame(b.troubles, []);
});

test('a webhook is tried again by the node that has the duty then', NEEDS_POSTGRES, async (t) => {
  const cluster = await BatchCluster.start(t, 1);
  const [a] = cluster.nodes as [ClusterNode];
  cluster.webhook = async () => 'status_500';
  const key = await cluster.key();
  const id = await a.submit(key, lines('a', 3), { webhook: 'https://a.example/hook' });
  const attempts = async () => {
    const [row] = await cluster.sql<{ attempts: number; wait: number | null }>(
      'SELECT webhook_attempts AS attempts, webhook_due - finished AS wait FROM batches',
    );
    return row;
  };
  await until(async () => (await attempts())?.attempts === 1);
  t.ok(((await attempts())?.wait ?? 0) >= 30_000);
  const b = await cluster.node();
  await a.kill();
  cluster.webhook = async () => 'delivered';
  await cluster.sql('UPDATE batches SET webhook_due = 1');
  await until(async () => (await attempts())?.attempts === 2);
  t.equal((await attempts())?.wait, null);
  t.equal(cluster.called.length, 2);
  t.match(await b.show(key, id), { status: 'done' });
});

/** As the maintenance of a node has them. */
function calledBatches({ master }: BatchCluster, { session, database }: ClusterNode): DatabaseCalledBatches {
  return new DatabaseCalledBatches({
    node: session.id as number,
    database,
    session,
    keys: new DataKeys(() => master),
  });
}

test(
  'a node whose session has ended does not change a webhook that another node has delivered',
  NEEDS_POSTGRES,
  async (t) => {
    const cluster = await BatchCluster.start(t, 1);
    const [a] = cluster.nodes as [ClusterNode];
    let answer = (_: WebhookOutcome) => {};
    cluster.webhook = () => new Promise((resolve) => (answer = resolve));
    const key = await cluster.key();
    const id = await a.submit(key, lines('a', 3), { webhook: 'https://a.example/hook' });
    await until(() => cluster.called.length === 1);
    cluster.webhook = async () => 'delivered';
    const b = await cluster.node();
    await a.kill();
    const delivered = { status: 'delivered', attempts: 1, error: null };
    await until(async () => (await b.show(key, id)).finished_at !== null && cluster.called.length === 2);
    await until(
      async () => (await cluster.sql('SELECT 1 FROM batches WHERE webhook_due IS NULL')).length === 1,
    );
    const before = await cluster.sql('SELECT * FROM batches');
    // The late outcome of the first call would re-arm the webhook.
    answer('timeout');
    const late = calledBatches(cluster, a);
    const change = () => ({ webhook: { attempts: 2, due: 1 }, called: { outcome: 'timeout' } });
    t.equal(await late.update(id, null, change), undefined);
    await a.end();
    t.strictSame(await cluster.sql('SELECT * FROM batches'), before);
    t.strictSame((await b.show(key, id)).webhook_delivery, delivered);
    t.equal(cluster.called.length, 2);
  },
);

test(
  'the outcome of a call is written only if the webhook is in the state that was read before',
  NEEDS_POSTGRES,
  async (t) => {
    const cluster = await BatchCluster.start(t, 1);
    const [a] = cluster.nodes as [ClusterNode];
    cluster.webhook = async () => 'status_404';
    const key = await cluster.key();
    const id = await a.submit(key, lines('a', 3), { webhook: 'https://a.example/hook' });
    const delivery = async () => (await a.show(key, id)).webhook_delivery;
    await until(async () => JSON.stringify(await delivery()).includes('status_404'));
    t.strictSame(await delivery(), { status: 'pending', attempts: 1, error: 'status_404' });
    const [row] = await cluster.sql<{ due: number }>('SELECT webhook_due AS due FROM batches');
    const batches = calledBatches(cluster, a);
    const change = () => ({ webhook: { attempts: 2, due: null }, called: { outcome: 'delivered' } });
    const due = row?.due ?? 0;
    t.equal(await batches.update(id, { attempts: 0, due }, change), undefined);
    t.equal(await batches.update(id, { attempts: 1, due: due - 1 }, change), undefined);
    t.strictSame(await delivery(), { status: 'pending', attempts: 1, error: 'status_404' });
    t.ok(await batches.update(id, { attempts: 1, due }, change));
    t.strictSame(await delivery(), { status: 'delivered', attempts: 2, error: null });
  },
);

test('an outcome that is written while due webhooks are read is not lost', NEEDS_POSTGRES, async (t) => {
  const cluster = await BatchCluster.start(t, 1);
  const [a] = cluster.nodes as [ClusterNode];
  let answer = (_: WebhookOutcome) => {};
  cluster.webhook = () => new Promise((resolve) => (answer = resolve));
  await a.submit(await cluster.key(), lines('a', 3), { webhook: 'https://a.example/hook' });
  await until(() => cluster.called.length === 1);
  const { database, clock } = a;
  const due = await dueWebhooks(database);
  t.equal(due.length, 1, 'it is due until the outcome is written');
  answer('delivered');
  await until(async () => (await dueWebhooks(database)).length === 0);
  const troubles: unknown[] = [];
  const callbacks = new Callbacks({
    batches: calledBatches(cluster, a),
    clock,
    random: Math.random,
    webhooks: {
      check: async () => {},
      call: async () => {
        troubles.push('called again');
        return 'delivered';
      },
    },
    reports: {
      error: (error) => void troubles.push(error),
      answered: () => {},
      failed: () => {},
      called: () => {},
    },
  });
  for (const batch of due) callbacks.add(batch);
  await callbacks.stop();
  t.strictSame(troubles, []);
});

test('a download ends with an error when its batch is deleted', NEEDS_POSTGRES, async (t) => {
  const cluster = await BatchCluster.start(t, 1);
  const [a] = cluster.nodes as [ClusterNode];
  const key = await cluster.key();
  const id = await a.submit(key, lines('a', 2_000));
  await until(async () => (await a.show(key, id)).finished_at !== null);
  const { pieces } = await a.batches.results(a.caller(key), id);
  const iterator = pieces[Symbol.asyncIterator]();
  t.equal((await iterator.next()).done, false);
  // A deletion that has come as far as the results.
  const { database } = a;
  await database.transaction((transaction) => markDeleted(transaction, id));
  await cluster.sql('DELETE FROM batch_results');
  await t.rejects(iterator.next(), /has been deleted/);
});

test(
  'batches are deleted 7 days after they were collected, or 14 after they finished',
  NEEDS_POSTGRES,
  async (t) => {
    const cluster = await BatchCluster.start(t, 1);
    const [a] = cluster.nodes as [ClusterNode];
    const key = await cluster.key();
    const ids: string[] = [];
    for (const name of ['kept', 'old', 'collected']) {
      ids.push(
        await a.submit(key, lines(name, 1_100), { idempotencyKey: name, webhook: 'https://a.example' }),
      );
    }
    const [kept, old, collected] = ids as [string, string, string];
    await until(async () => (await a.list(key)).data.every(({ finished_at }) => finished_at !== null));
    await a.text(key, collected);
    const row = async (id: string) =>
      (
        await cluster.sql<{ collected: number | null }>('SELECT collected FROM batches WHERE id = $1', [id])
      )[0];
    await until(async () => (await row(collected))?.collected !== null);
    const first = (await row(collected))?.collected;
    await a.text(key, collected);
    t.equal((await row(collected))?.collected, first, 'the first time counts');
    t.equal((await a.show(key, collected)).delete_after, shown((first ?? 0) + 7 * DAY_MS));
    await cluster.sql('UPDATE batches SET collected = collected - $1', [7 * DAY_MS]);
    await cluster.sql('UPDATE batches SET finished = finished - $2 WHERE id = $1', [old, 14 * DAY_MS]);
    await cluster.sql('UPDATE submissions SET at = at - $1', [DAY_MS]);
    await a.end();
    const b = await cluster.node();
    await until(async () => (await b.list(key)).data.length === 1);
    await until(async () => (await row(old)) === undefined && (await row(collected)) === undefined);
    t.match(await reason(b.show(key, old)), { type: 'batch_not_found' });
    t.equal((await b.results(key, kept)).length, 1_100);
    for (const table of ['batch_ids', 'batch_results', 'batch_webhooks']) {
      t.strictSame(await cluster.sql(`SELECT DISTINCT batch FROM ${table}`), [{ batch: kept }], table);
    }
    t.strictSame(await cluster.sql('SELECT owner FROM data_keys'), [{ owner: kept }]);
    t.strictSame(await cluster.sql('SELECT key FROM submissions'), []);
  },
);

/** Resolves when every node has read the states of its batches, after this call. */
async function haveReadStates({ nodes }: BatchCluster): Promise<void> {
  const reads = ({ database }: ClusterNode) => database.statements.get('batches-find') ?? 0;
  const before = nodes.map(reads);
  // The first of them may have been sent before.
  await until(() => nodes.every((node, at) => reads(node) >= (before[at] as number) + 3));
}

/** An instant as the interface shows it. */
const shown = (instant: number) => new Date(instant).toISOString().replace('Z', '+00:00');
