import { randomBytes } from 'node:crypto';
import { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { LabelRows, putTask } from '../../src/tasks/index.js';
import { removedForRoom } from '../../src/tasks/labels/label-room.js';

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

test('the version in use has as many labelled answers as it may have, and no more', async (t) => {
  const key = randomBytes(32);
  const { taskLabels } = LIMITS;
  const plannedFor = (added: number, current: number, all = current) => {
    const made = new LabelRows(key, task, 0);
    for (let at = 0; at < added; at += 1) {
      const answer = { reference: `state/${at}`, version: 1, build: 'm', probabilities: [[1, 0]] };
      const label = { line: at + 1, reference: answer.reference, expected: { q: 0 }, answer };
      made.add(label, `${at}`, { label: undefined, answer: undefined });
    }
    return made.planned({ current, all }, taskLabels);
  };
  t.strictSame(plannedFor(1, taskLabels - 1), {
    outcome: { stored: true, labels: taskLabels },
    removed: 0,
  });
  t.strictSame(plannedFor(2, taskLabels - 1), { outcome: { stored: false, faults: null }, removed: 0 });
  const { outcome, removed } = plannedFor(1, 0, taskLabels);
  t.strictSame(outcome, { stored: true, labels: 1 }, 'labels of earlier versions have no part in it');
  t.equal(removed, taskLabels / 20);
});

test('labelled answers of earlier versions make room, several at once, and never more than there are', async (t) => {
  t.equal(removedForRoom({ current: 0, all: 100 }, 100), 0);
  t.equal(removedForRoom({ current: 1, all: 101 }, 100), 5);
  t.equal(removedForRoom({ current: 1, all: 108 }, 100), 8);
  t.equal(removedForRoom({ current: 99, all: 101 }, 100), 2);
  t.equal(removedForRoom({ current: 100, all: 101 }, 100), 1);
  t.equal(removedForRoom({ current: 100, all: 100 }, 100), 0);
  t.equal(removedForRoom({ current: 101, all: 101 }, 100), null);
  for (let current = 0; current <= 10; current += 1) {
    for (let all = current; all <= 25; all += 1) {
      const removed = removedForRoom({ current, all }, 10) ?? t.fail('it has room');
      t.ok(all - Number(removed) <= 10 && Number(removed) <= all - current, `${current} of ${all}`);
    }
  }
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

test('an answer without a label gets no row and is not counted, also beside another label', async (t) => {
  const key = randomBytes(32);
  const answer = { reference: 'state/1', version: 1, build: 'm', probabilities: [[1, 0]] };
  const label = (line: number, q: number | null) => ({
    line,
    reference: answer.reference,
    expected: { q },
    answer,
  });
  const none = { label: undefined, answer: undefined };
  const labelsAfter = (...calls: ReadonlyArray<readonly [string, number | null]>) => {
    const made = new LabelRows(key, task, 0);
    for (const [at, [ref, q]] of calls.entries()) made.add(label(at + 1, q), ref, none);
    const { outcome } = made.planned({ current: 0, all: 0 }, LIMITS.taskLabels);
    return { rows: [...made.rows.keys()], labels: outcome.stored ? outcome.labels : null };
  };
  t.strictSame(labelsAfter(['a', null]), { rows: [], labels: 0 });
  t.strictSame(labelsAfter(['a', null], ['b', 1], ['a', null]), { rows: ['b'], labels: 1 });
  t.strictSame(labelsAfter(['a', null], ['a', 1]), { rows: ['a'], labels: 1 });
  t.strictSame(
    labelsAfter(['a', 1], ['a', null]),
    { rows: ['a'], labels: 1 },
    'one that is taken back stays counted',
  );
});
