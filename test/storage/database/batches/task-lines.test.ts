// Lines that name a task, on the nodes of a cluster.
import { test } from 'tap';
import type { Task } from '../../../../src/tasks/index.js';
import { putOf, taskLine } from '../../../support/batch/batch-tasks.js';
import { BatchCluster } from '../../../support/cluster/batch-cluster.js';
import { NEEDS_POSTGRES } from '../../../support/postgres.js';
import { until } from '../../../support/until.js';

const many = (count: number) => Array.from({ length: count }, (_, at) => taskLine(`a${at}`)).join('\n');

/** A label of each line. */
const labels = (id: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    line: at + 1,
    reference: `${id}/a${at}`,
    expected: { q: 0 },
    answer: null,
  }));

const stored = async (cluster: BatchCluster, { id }: Task) =>
  (await cluster.sql<{ number: number }>('SELECT number FROM task_answers WHERE task = $1', [id])).length;

test('two nodes answer the lines of a task, and keep each answer once', NEEDS_POSTGRES, async (t) => {
  const cluster = await BatchCluster.start(t, 2);
  const key = await cluster.key();
  const [one, two] = cluster.nodes as [(typeof cluster.nodes)[0], (typeof cluster.nodes)[0]];
  const task = await putOf(one.tasks, 'w', 't');
  const lines = 2_000;
  for (const { engine } of cluster.nodes) engine.answersAtOnce = false;
  const id = await two.submit(key, many(lines));
  await until(() => one.engine.started.length > 0 && two.engine.started.length > 0);
  for (const { engine } of cluster.nodes) {
    engine.answersAtOnce = true;
    engine.answerAll();
  }
  await until(async () => (await one.show(key, id)).finished_at !== null);
  const results = await one.results(key, id);
  t.ok(results.every(({ status, response }) => status === 200 && response !== undefined));
  t.match(results[0], { response: { task: { name: 't', version: 1 } } });
  await until(async () => (await stored(cluster, task)) === lines);
  t.strictSame(await two.tasks.label(task, labels(id, lines)), { stored: true, labels: lines });
  t.equal(await cluster.charged(key), lines);
  t.strictSame([one.troubles, two.troubles], [[], []]);
});

test('when a node dies, its lines run again, and no answer is kept twice', NEEDS_POSTGRES, async (t) => {
  const cluster = await BatchCluster.start(t, 2);
  const key = await cluster.key();
  const [one, two] = cluster.nodes as [(typeof cluster.nodes)[0], (typeof cluster.nodes)[0]];
  const task = await putOf(two.tasks, 'w', 't');
  const lines = 40;
  for (const { engine } of cluster.nodes) engine.answersAtOnce = false;
  const id = await two.submit(key, many(lines));
  const all = [...cluster.nodes];
  await until(() => all.some(({ engine }) => engine.waiting.size >= 8));
  const dying = all.find(({ engine }) => engine.waiting.size >= 8) as (typeof all)[0];
  const other = dying === one ? two : one;
  // Some are stored, some are answered and not stored, the others wait. Only `flush` stores, as no timer fires.
  dying.clock.freeze();
  for (const customId of [...dying.engine.waiting.keys()].slice(0, 3)) dying.engine.answer(customId);
  await until(async () => {
    await dying.ledger.flush();
    return (await cluster.sql('SELECT line FROM batch_results')).length === 3;
  });
  const before = [...dying.engine.waiting.keys()];
  await dying.kill();
  for (const customId of before.slice(0, 3)) dying.engine.answer(customId);
  other.engine.answersAtOnce = true;
  other.engine.answerAll();
  await until(async () => (await other.show(key, id)).finished_at !== null);
  const results = await other.results(key, id);
  t.strictSame(
    results.map(({ custom_id, status }) => [custom_id, status]),
    Array.from({ length: lines }, (_, at) => [`a${at}`, 200]),
  );
  t.equal(await cluster.charged(key), lines);
  // What the dead node has stored last has lost its answers.
  const { started } = other.engine;
  await until(async () => (await stored(cluster, task)) === started.length);
  t.ok(started.length < lines);
  const label = (customId: string) => ({
    line: 1,
    reference: `${id}/${customId}`,
    expected: { q: 0 },
    answer: null,
  });
  const labelled = await other.tasks.label(task, started.map(label));
  t.strictSame(labelled, { stored: true, labels: started.length });
});

test('a change on one node is used by the lines of the others', NEEDS_POSTGRES, async (t) => {
  const cluster = await BatchCluster.start(t, 2);
  const key = await cluster.key();
  const [one, two] = cluster.nodes as [(typeof cluster.nodes)[0], (typeof cluster.nodes)[0]];
  await putOf(one.tasks, 'w', 't');
  for (const { engine } of cluster.nodes) {
    engine.answersAtOnce = false;
    engine.room = 1;
  }
  const id = await one.submit(key, many(600));
  await until(() => cluster.nodes.some(({ engine }) => engine.waiting.size > 0));
  await two.tasks.remove({ workspace: 'w', name: 't' });
  // A node uses a task that it has read for a second.
  await until(async () => {
    for (const { engine } of cluster.nodes) engine.answerAll();
    return (await one.show(key, id)).finished_at !== null;
  });
  const results = await one.results(key, id);
  const failed = results.filter(({ status }) => status !== 200);
  t.ok(failed.length > 0);
  for (const each of failed) t.match(each, { status: null, model: 'm', error: { type: 'task_not_found' } });
});
