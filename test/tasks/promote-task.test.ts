import { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { NO_SHADOW_ANSWERS } from '../../src/statistics/index.js';
import {
  type ExpectedShadow,
  promoteTask,
  putTask,
  type ShadowRecord,
  type Task,
  type TaskContent,
} from '../../src/tasks/index.js';

const QUESTIONS = '{"q":1}';
const TASK: Task = {
  id: 'task_1',
  workspace: 'w',
  name: 'a',
  created: 1_000,
  changed: 1_000,
  version: 3,
  bytes: 3 * QUESTIONS.length,
  model: 'm',
  description: 'd',
  targetError: 0.1,
  confidence: 0.9,
  shadow: { model: 'n', share: 0.5 },
  fits: [{ version: 3, build: 'm-1', at: 1, targetError: 0.1, confidence: 0.9, acceptances: [null] }],
};
const BUILDS = { live: 'm-1', shadow: 'n-1', calibrations: 'c/d' };
const COUNTED: ShadowRecord = { version: 3, ...BUILDS, since: 0, questions: [NO_SHADOW_ANSWERS] };
const ANY: ExpectedShadow = { version: null, build: null };

const put = (task: Task, change: Partial<TaskContent>) => {
  const { id, workspace, name, model, description, targetError, confidence, shadow } = task;
  const content = { questions: QUESTIONS, model, description, targetError, confidence, shadow, ...change };
  const before = { task, questions: QUESTIONS, others: { count: 0, bytes: 0 } };
  return putTask(before, { id, workspace, name }, content, 3_000);
};
const promote = (
  task: Task = TASK,
  counted: ShadowRecord | undefined = COUNTED,
  expected = ANY,
  bytes = 0,
) => {
  const stored = { task, questions: QUESTIONS, others: { count: 0, bytes }, counted };
  return promoteTask(stored, () => BUILDS, expected, 'key_1', 2_000);
};

test('a promotion makes the next version of the same questions, without a shadow', async (t) => {
  for (const expected of [ANY, { version: 3, build: null }, { version: 3, build: 'n-1' }]) {
    const { task, record } = promote(TASK, COUNTED, expected);
    const bytes = TASK.bytes + QUESTIONS.length;
    const next = { version: 4, bytes, model: 'n-1', shadow: null, fits: [], promotedFrom: 3 };
    t.strictSame(task, { ...TASK, changed: 2_000, ...next });
    t.strictSame(record, {
      action: 'task.promote',
      workspace: 'w',
      key: 'key_1',
      before: { version: '3', model: 'm' },
      after: { task: 'a', version: '4', model: 'n-1' },
    });
  }
});

test('the build that answers already is promoted without a new version', async (t) => {
  const { task } = promote({ ...TASK, model: 'n-1' });
  t.strictSame(task, { ...TASK, changed: 2_000, model: 'n-1', shadow: null, promotedFrom: 3 });
});

test('a promotion is refused without a shadow, and if something is not as expected or counted', async (t) => {
  const refused = (type: string, ...given: Parameters<typeof promote>) =>
    t.throws(() => promote(...given), { type } as never);
  refused('no_shadow', { ...TASK, shadow: null });
  t.throws(
    () =>
      promoteTask(
        { task: TASK, questions: QUESTIONS, others: { count: 0, bytes: 0 }, counted: undefined },
        () => BUILDS,
        ANY,
        'k',
        0,
      ),
    { type: 'shadow_changed' } as never,
  );
  refused('shadow_changed', TASK, COUNTED, { version: 2, build: null });
  refused('shadow_changed', TASK, COUNTED, { version: 4, build: null });
  refused('shadow_changed', TASK, COUNTED, { version: 3, build: 'n' });
  refused('shadow_changed', TASK, { ...COUNTED, version: 2 });
  refused('shadow_changed', TASK, { ...COUNTED, live: 'm-2' });
  refused('shadow_changed', TASK, { ...COUNTED, shadow: 'n-2' });
  refused('shadow_changed', TASK, { ...COUNTED, calibrations: 'c/e' });
});

test('a promotion that names its version is answered again, until the next version or shadow', async (t) => {
  const { task } = promote(TASK, COUNTED, { version: 3, build: 'n-1' });
  const gone = () => {
    throw new Error('The builds are not served any more.');
  };
  const again = (expected: ExpectedShadow, of = task, builds: () => typeof BUILDS = gone) => {
    const stored = { task: of, questions: QUESTIONS, others: { count: 0, bytes: 0 }, counted: undefined };
    return promoteTask(stored, builds, expected, 'key_1', 2_000);
  };
  for (const expected of [
    { version: 3, build: 'n-1' },
    { version: 3, build: null },
  ]) {
    t.strictSame(again(expected), { task, record: null });
  }
  const described = put(task, { description: 'other' });
  t.equal(again({ version: 3, build: 'n-1' }, described).task, described, 'a setting is no version');
  const refused = (type: string, expected: ExpectedShadow, of = task) =>
    t.throws(() => again(expected, of), { type } as never);
  refused('no_shadow', ANY);
  refused('no_shadow', { version: null, build: 'n-1' });
  refused('no_shadow', { version: 3, build: 'n-2' });
  refused('no_shadow', { version: 4, build: 'n-1' });
  refused('no_shadow', { version: 3, build: 'n-1' }, put(task, { questions: '{"q":2}' }));
  const shadowed = put(task, { shadow: { model: 'n', share: 1 } });
  t.throws(() => again({ version: 3, build: 'n-1' }, shadowed, () => BUILDS), {
    type: 'shadow_changed',
  } as never);
});

test('the version of a promotion counts for the bounds of versions', async (t) => {
  const last = { ...TASK, version: LIMITS.taskVersions };
  const counted = { ...COUNTED, version: last.version };
  t.throws(() => promote(last, counted), { type: 'too_many_tasks' } as never);
  t.equal(
    promote({ ...last, version: last.version - 1 }, { ...counted, version: last.version - 1 }).task.version,
    LIMITS.taskVersions,
  );
  const room = LIMITS.tasksBytes - TASK.bytes - QUESTIONS.length;
  t.equal(promote(TASK, COUNTED, ANY, room).task.version, 4);
  t.throws(() => promote(TASK, COUNTED, ANY, room + 1), { type: 'too_many_tasks' } as never);
});
