import { join } from 'node:path';
import { test } from 'tap';
import type { Key, Workspace } from '../../../src/access/index.js';
import { findWorkspace } from '../../../src/storage/folder/administration/rows.js';
import { verifyBatches } from '../../../src/storage/folder/batches/index.js';
import { openStore, openToRead, reconcile, Sealer } from '../../../src/storage/folder/index.js';
import { verifyTasks } from '../../../src/storage/folder/tasks/index.js';
import { moveToDatabase, moveToFolder } from '../../../src/storage/move/index.js';
import { BatchCluster } from '../../support/cluster/batch-cluster.js';
import { fillFolder } from '../../support/cluster/full-folder.js';
import { NEEDS_POSTGRES, newDatabase } from '../../support/postgres.js';
import { until } from '../../support/until.js';

const ignore = () => {};

/** What becomes of the batches of `fillFolder` in a cluster, by their state before. */
const ENDS: Readonly<Record<string, { readonly status: string; readonly done: number }>> = {
  queued: { status: 'done', done: 11 },
  running: { status: 'done', done: 11 },
  cancelling: { status: 'cancelled', done: 6 },
  expiring: { status: 'done', done: 6 },
  ending: { status: 'failed', done: 6 },
};

test(
  'a cluster continues the batches of a folder, and a folder has its results',
  NEEDS_POSTGRES,
  async (t) => {
    const folder = join(t.testdir(), 'data');
    const back = join(t.testdirName, 'back');
    const { masterKey, key: id, batches } = await fillFolder(folder, { now: Date.now() });
    const source = openToRead(folder);
    const key = source.table('keys').get(id) as Key;
    const workspace = findWorkspace(source, 'w') as Workspace;
    await source.close();
    const { database, url } = await newDatabase(t);
    await moveToDatabase({ folder, database, masterKey }, ignore);

    const cluster = BatchCluster.over(t, { url, database, master: masterKey });
    cluster.keys.set(id, key);
    cluster.workspaces.set('w', workspace);
    const [node, other] = [await cluster.node(), await cluster.node()];
    for (const { id: batch, state, lines, results } of batches) {
      const end = ENDS[state];
      if (end === undefined) continue;
      await until(async () => (await node.show(key, batch)).finished_at !== null);
      const done = state === 'running' ? lines : end.done;
      t.match(await other.show(key, batch), { status: end.status, counts: { done } }, state);
      const answered = (await node.results(key, batch)).filter(({ status }) => status === 200);
      t.equal(new Set(answered.map(({ custom_id }) => custom_id)).size, done, state);
      // Those that the folder had are the same.
      t.equal(answered.filter((result) => 'filling' in result).length, results, state);
    }
    const next = await node.submit(key, JSON.stringify(LINE));
    await until(async () => (await node.show(key, next)).finished_at !== null);
    for (const each of cluster.nodes) {
      await each.end();
      t.strictSame(each.troubles, []);
    }

    await moveToFolder({ folder: back, database, masterKey }, ignore);
    const store = openStore(back);
    t.teardown(() => store.close());
    const problems: string[] = [];
    const sealer = new Sealer(store, masterKey.toString('hex'));
    const report = (problem: string) => problems.push(problem);
    const { tasks, ids } = verifyTasks(store, sealer, report);
    t.equal(tasks, 1);
    const { lines } = verifyBatches(store, sealer, ids, report);
    t.strictSame([...problems, ...reconcile(store).problems], []);
    t.ok(lines > 0);
    t.equal(store.table('batches').get(next)?.number, 1 + Math.max(...batches.map(({ number }) => number)));
  },
);

const LINE = { custom_id: 'next', model: 'm', state: 's', questions: { q: { type: 'noul' } } };
