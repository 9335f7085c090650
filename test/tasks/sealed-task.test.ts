import { randomBytes } from 'node:crypto';
import { test } from 'tap';
import { placeOf, seal, unseal } from '../../src/sealing/index.js';
import { openTask, putTask, sealTask } from '../../src/tasks/index.js';

const PLACE = { workspace: 'w', name: 'a' };
const CONTENT = {
  questions: '{"q":1}',
  model: 'm',
  description: null,
  targetError: 0.05,
  confidence: 0.95,
  shadow: null,
};
const task = putTask(
  { task: null, questions: null, others: { count: 0, bytes: 0 } },
  { ...PLACE, id: 'task_a' },
  CONTENT,
  0,
);

test('a task is opened as it was sealed, and one that an earlier version sealed has no shadow and no fits', async (t) => {
  const key = randomBytes(32);
  const row = sealTask(key, task);
  t.strictSame(openTask(key, PLACE, row), task);
  const other = { ...task, shadow: { model: 'n', share: 1 }, shadowNumber: 2, promotedFrom: 1 };
  t.strictSame(openTask(key, PLACE, sealTask(key, other)), other);
  t.strictSame(Object.keys(sealTask(key, other)), Object.keys(row), 'nothing of it is in the open');
  const place = placeOf('tasks', PLACE.workspace, PLACE.name);
  const hidden = JSON.parse(unseal(key, place, Buffer.from(row.sealed, 'base64')).toString());
  const { shadow: _, fits: __, ...earlier } = hidden;
  const sealed = seal(key, place, Buffer.from(JSON.stringify(earlier))).toString('base64');
  t.strictSame(openTask(key, PLACE, { ...row, sealed }), { ...task, shadow: null, fits: [] });
});
