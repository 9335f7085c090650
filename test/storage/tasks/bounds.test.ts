import { randomBytes } from 'node:crypto';
import { test } from 'tap';
import type { Database } from '../../../src/storage/database/index.js';
import { DatabaseAnswers, WAITING_ANSWERS_MAX } from '../../../src/storage/database/tasks/answers.js';
import { COPIES_MAX, TaskCopies } from '../../../src/storage/database/tasks/task-copies.js';
import { TASK_KEYS_MAX, TaskKeys } from '../../../src/storage/database/tasks/task-keys.js';
import { putTask } from '../../../src/tasks/index.js';
import { fakeClock } from '../../support/fake-clock.js';

const CONTENT = {
  questions: '{}',
  model: null,
  description: null,
  targetError: 0.05,
  confidence: 0.95,
  shadow: null,
};
const PLACE = { workspace: 'w', name: 'a', id: 'task_a' };
const task = putTask({ task: null, questions: null, others: { count: 0, bytes: 0 } }, PLACE, CONTENT, 0);

test('while the database cannot be reached, a bounded number of answers waits', async (t) => {
  const database = { query: async () => [] } as unknown as Database;
  const answers = new DatabaseAnswers({
    database,
    clock: fakeClock(),
    keyOf: async () => undefined,
    onError: () => {},
  });
  const answer = { reference: 'req_1', version: 1, build: 'm', probabilities: [[1]] };
  const kept: boolean[] = [];
  const settled = (isKept: boolean) => void kept.push(isKept);
  answers.record(task, answer, settled);
  t.strictSame(kept, [false], 'none before the start');
  answers.start({ answersOfTask: 1, maxAnswers: () => 1, retentionDays: () => 1 });
  for (let at = 0; at < WAITING_ANSWERS_MAX; at += 1) answers.record(task, answer, settled);
  t.equal(kept.length, 1);
  answers.record(task, answer, settled);
  t.strictSame(kept, [false, false]);
});

test('a node keeps a bounded number of tasks, and reads the others again', async (t) => {
  let reads = 0;
  const copies = new TaskCopies(fakeClock(), async () => {
    reads += 1;
    return task;
  });
  const find = (at: number) => copies.find({ workspace: 'w', name: `t${at}` });
  for (let at = 0; at < COPIES_MAX; at += 1) await find(at);
  await find(0);
  t.equal(reads, COPIES_MAX);
  await find(COPIES_MAX);
  t.equal(reads, COPIES_MAX + 1);
  await find(1);
  t.equal(reads, COPIES_MAX + 1, 'it is still kept');
  await find(0);
  t.equal(reads, COPIES_MAX + 2, 'the oldest has gone');
});

test('a node keeps a bounded number of data keys, and finds the others again', async (t) => {
  const master = randomBytes(32);
  const keys = new TaskKeys(() => master);
  const open = (at: number) => keys.open(`t${at}`, keys.seal(`t${at}`, randomBytes(32)));
  for (let at = 0; at < TASK_KEYS_MAX; at += 1) open(at);
  const first = open(0);
  t.strictSame(keys.lastOf('t0'), first);
  t.ok(keys.lastOf('t1'));
  open(TASK_KEYS_MAX);
  t.equal(keys.lastOf('t1'), undefined, 'the oldest has gone');
  t.ok(keys.lastOf('t0'));
});
