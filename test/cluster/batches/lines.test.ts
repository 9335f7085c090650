import { test } from 'tap';
import { lines } from '../../support/batch/world.js';
import { BatchCluster } from '../../support/cluster/batch-cluster.js';
import { NEEDS_POSTGRES } from '../../support/postgres.js';
import { until } from '../../support/until.js';

test('a batch is worked on by the node that took it and by another', NEEDS_POSTGRES, async (t) => {
  const cluster = await BatchCluster.start(t, 2);
  const [a, b] = cluster.nodes as [(typeof cluster.nodes)[0], (typeof cluster.nodes)[0]];
  for (const { engine } of cluster.nodes) Object.assign(engine, { answersAtOnce: false, room: 8 });
  const key = await cluster.key();
  const id = await a.submit(key, lines('a', 1_000));
  await until(() => a.engine.started.length > 0 && b.engine.started.length > 0);
  for (const { engine } of cluster.nodes) {
    engine.answersAtOnce = true;
    engine.answerAll();
  }
  await until(async () => (await b.show(key, id)).finished_at !== null);
  t.match(await b.show(key, id), { status: 'done', counts: { done: 1_000, failed: 0, pending: 0 } });
  t.strictSame(
    (await b.results(key, id)).map(({ custom_id }) => custom_id),
    Array.from({ length: 1_000 }, (_, at) => `a${at}`),
  );
  t.equal(await cluster.charged(key), 1_000);
  t.strictSame(
    cluster.nodes.flatMap(({ troubles }) => troubles),
    [],
  );
  t.strictSame(await cluster.sql('SELECT * FROM batch_chunks'), []);
  t.strictSame(await cluster.sql('SELECT batch FROM batch_lines'), []);
});
