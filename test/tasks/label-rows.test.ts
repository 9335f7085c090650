import { randomBytes } from 'node:crypto';
import { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { openStore } from '../../src/storage/folder/index.js';
import { FolderLabels } from '../../src/storage/folder/tasks/labels.js';
import { FolderMonitors } from '../../src/storage/folder/tasks/monitors.js';
import { LabelRows, type NewLabel, putTask } from '../../src/tasks/index.js';
import { dataFolder } from '../support/data-folder.js';

const CONTENT = {
  questions: '{"q":1}',
  model: null,
  description: null,
  targetError: 0.05,
  confidence: 0.95,
  shadow: null,
};
const PLACE = { workspace: 'w', name: 'a', id: 'task_a' };
const task = putTask({ task: null, questions: null, others: { count: 0, bytes: 0 } }, PLACE, CONTENT, 0);

test('a task has as many labelled answers as it may have, and no more', async (t) => {
  const store = openStore(dataFolder(t));
  t.teardown(() => store.close());
  const labels = new FolderLabels({
    store,
    monitors: new FolderMonitors(store),
    access: { flush: async () => {} },
    clock: { now: () => 0 },
  });
  const table = store.table('task_labels');
  const ref = (at: number) => at.toString(16).padStart(32, '0');
  const row = { at: 0, version: 1, build: 'm', sealed: 'eA==', expected: 'eA==' };
  const stored = LIMITS.taskLabels - 1;
  await store.write(
    Array.from({ length: stored }, (_, at) => table.write([task.id, ref(at)], { ...row, ref: ref(at) })),
  );
  t.equal(labels.count(task), stored);
  const label = (line: number): NewLabel => {
    const answer = { reference: `state/${line}`, version: 1, build: 'm', probabilities: [[1, 0]] };
    return { line, reference: answer.reference, expected: { q: 0 }, answer };
  };
  const key = randomBytes(32);
  t.match(await labels.writesOf(key, task, [label(1)]), {
    outcome: { stored: true, labels: LIMITS.taskLabels },
  });
  t.strictSame(await labels.writesOf(key, task, [label(1), label(2)]), {
    outcome: { stored: false, faults: null },
    writes: [],
  });
});

test('a null before any label is none, and a null after one takes it back', async (t) => {
  const key = randomBytes(32);
  const answer = { reference: 'state/1', version: 1, build: 'm', probabilities: [[1, 0]] };
  const firstsOf = (...options: ReadonlyArray<number | null>) => {
    const made = new LabelRows(key, task, 0);
    const none = { label: undefined, answer: undefined };
    for (const [at, q] of options.entries())
      made.add({ line: at + 1, reference: answer.reference, expected: { q }, answer }, 'a', none);
    return made.firsts.map(({ expected }) => expected);
  };
  t.strictSame(firstsOf(null), []);
  t.strictSame(firstsOf(null, 1), [{ q: 1 }]);
  t.strictSame(firstsOf(1, null, 0), [{ q: 1 }]);
});
