import { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { FITS_MAX } from '../../src/tasks/fits/task-fit.js';
import {
  fitsInForce,
  hasSameShadow,
  putTask,
  type StoredBefore,
  type Task,
  type TaskContent,
  withFit,
} from '../../src/tasks/index.js';
import { hasNewVersion } from '../../src/tasks/put-task.js';

const ALONE = { count: 0, bytes: 0 };
const NOTHING: StoredBefore = { task: null, questions: null, others: ALONE };
const PLACE = { workspace: 'w', name: 't', id: 'task_1' };
const QUESTIONS = '{"q":1}';
const SETTINGS = { model: null, description: null, targetError: 0.05, confidence: 0.95, shadow: null };
const NOW = 1_000;

const put = (before: StoredBefore, change: Partial<TaskContent>, now = NOW) =>
  putTask(before, PLACE, { questions: QUESTIONS, ...SETTINGS, ...change }, now);
const stored = (task: Task, others = ALONE): StoredBefore => ({
  task,
  questions: QUESTIONS,
  others,
});
const tooMany = (message: RegExp) => ({ name: 'ApiError', type: 'too_many_tasks', message });
const MADE = put(NOTHING, {});

test('a new task has one version, an equal body changes nothing, a setting no version', async (t) => {
  t.ok(hasNewVersion(null, MADE));
  const counts = { version: 1, bytes: QUESTIONS.length };
  t.strictSame(MADE, { ...PLACE, created: NOW, changed: NOW, ...counts, ...SETTINGS, fits: [] });
  t.equal(put(stored(MADE), {}, 2_000), MADE);
  const shadow = { model: 'm', share: 0.5 };
  const changes = [
    { description: 'd' },
    { targetError: 0.1 },
    { confidence: 0.9 },
    { shadow, shadowNumber: 1 },
  ];
  for (const { shadowNumber, ...change } of changes as Array<Partial<Task>>) {
    const next = put(stored(MADE), change, 2_000);
    t.notOk(hasNewVersion(MADE, next));
    t.strictSame(next, { ...MADE, ...change, changed: 2_000, ...(shadowNumber && { shadowNumber }) });
  }
});

test('a shadow that is set after it was removed is another one, and a share is not', async (t) => {
  const shadow = { model: 'm', share: 0.5 };
  const first = put(NOTHING, { shadow });
  t.ok(hasSameShadow(put(stored(first), { shadow: { ...shadow, share: 1 } }), first));
  t.ok(hasSameShadow(put(stored(first), { shadow, description: 'd' }), first));
  t.notOk(hasSameShadow(put(stored(first), { shadow: { ...shadow, model: 'n' } }), first));
  t.notOk(hasSameShadow(put(stored(first), { shadow, questions: '{"q":2}' }), first));
  const before = [first];
  for (let task = first, times = 0; times < 3; times += 1) {
    const none = put(stored(task), {});
    t.notOk(before.some((each) => hasSameShadow(none, each)));
    task = put(stored(none), { shadow });
    t.notOk(before.some((each) => hasSameShadow(task, each)));
    t.ok(hasSameShadow(task, task));
    before.push(task);
  }
});

test('other questions or another model make the next version', async (t) => {
  for (const { questions = QUESTIONS, model = null } of [{ questions: '{"ü":1}' }, { model: 'm' }]) {
    const next = put(stored(MADE), { questions, model, description: 'd' }, 2_000);
    t.ok(hasNewVersion(MADE, next));
    const bytes = MADE.bytes + Buffer.byteLength(questions);
    t.strictSame(next, { ...MADE, model, description: 'd', changed: 2_000, version: 2, bytes });
  }
});

test('a fit is in force for its version, its build and its promise, and for 8 builds at most', async (t) => {
  const fit = (build: string) => ({
    version: 1,
    build,
    at: NOW,
    targetError: 0.05,
    confidence: 0.95,
    acceptances: [{ temperature: 1, threshold: 0.9 }],
  });
  const fitted = withFit(MADE, fit('m-1')) as Task;
  t.strictSame(fitsInForce(fitted), [fit('m-1')]);
  const again = { ...fit('m-1'), at: 2_000 };
  t.strictSame(withFit(fitted, again)?.fits, [again], 'it replaces the one before');
  const stricter = put(stored(fitted), { targetError: 0.01 });
  t.strictSame(fitsInForce(stricter), [], 'another promise');
  t.strictSame(fitsInForce(put(stored(stricter), {})), [fit('m-1')], 'the promise of before');
  t.equal(withFit(stricter, fit('m-2')), null, 'the task was changed meanwhile');
  t.strictSame(put(stored(fitted), { model: 'm' }).fits, [], 'another version');
  let many = MADE;
  for (let at = 0; at <= FITS_MAX; at += 1) many = withFit(many, fit(`m-${at}`)) as Task;
  t.equal(many.fits.length, FITS_MAX);
  t.equal(many.fits[0]?.build, `m-${FITS_MAX}`);
  t.notOk(
    many.fits.some(({ build }) => build === 'm-0'),
    'the oldest goes',
  );
});

test('tasks, versions and bytes are bounded, and what exists can still be changed', async (t) => {
  const others = (count: number, bytes = 0) => ({ count, bytes });
  t.equal(put({ ...NOTHING, others: others(LIMITS.tasks - 1) }, {}).version, 1);
  t.throws(() => put({ ...NOTHING, others: others(LIMITS.tasks) }, {}), tooMany(/100 tasks/));
  t.equal(put(stored(MADE, others(LIMITS.tasks - 1)), { model: 'm' }).version, 2);

  const last = { ...MADE, version: LIMITS.taskVersions - 1 };
  t.equal(put(stored(last), { model: 'm' }).version, LIMITS.taskVersions);
  const full = { ...MADE, version: LIMITS.taskVersions };
  t.throws(() => put(stored(full), { model: 'm' }), tooMany(/100 versions/));
  t.equal(put(stored(full), { description: 'd' }).description, 'd');

  const room = LIMITS.tasksBytes - QUESTIONS.length;
  const large = (bytes: number): Task => ({ ...MADE, bytes });
  t.equal(put({ ...NOTHING, others: others(1, room) }, {}).version, 1);
  t.throws(() => put({ ...NOTHING, others: others(1, room + 1) }, {}), tooMany(/16777217 bytes/));
  t.equal(put(stored(large(room)), { model: 'm' }).bytes, LIMITS.tasksBytes);
  t.throws(() => put(stored(large(room + 1)), { model: 'm' }), tooMany(/16777217 bytes/));
});
