import { test } from 'tap';
import { ApiError } from '../../src/api/index.js';
import { ALARMS_EVERY_MS, TaskAlarms } from '../../src/server/task-alarms.js';
import { MONITOR_DELAY_MS, MONITOR_WAITING_MAX, TaskMonitors } from '../../src/server/task-monitors.js';
import { answerCode } from '../../src/statistics/index.js';
import type { Task, TaskAnswer, TaskFit, TaskMonitor, TaskStore } from '../../src/tasks/index.js';
import { Metrics } from '../../src/telemetry/index.js';
import { fakeClock } from '../support/fake-clock.js';
import { fitOf, monitorOf } from '../support/store/fitted-task.js';

const TASK: Task = {
  id: 'task_a',
  workspace: 'w',
  name: 'secret-name',
  created: 0,
  changed: 0,
  version: 1,
  bytes: 7,
  model: null,
  description: null,
  targetError: 0.05,
  confidence: 0.95,
  shadow: null,
  fits: [],
};
const fitted = (at = 0): Task => ({ ...TASK, fits: [fitOf(TASK, at)] });
const answer = (probabilities: readonly number[] = [0.25, 0.75]): TaskAnswer => ({
  reference: 'req_1',
  version: 1,
  build: 'm-1',
  calibration: 'c',
  probabilities: [probabilities],
});

/** The server's part of the alarms over one stored task. */
function opened(task = fitted()) {
  const clock = fakeClock();
  const lines: unknown[] = [];
  const log = (level: string) => (fields: object, message: string) => {
    lines.push({ level, ...fields, message });
  };
  const stored = {
    task: task as Task | undefined,
    monitor: monitorOf(task.fits[0] as TaskFit),
    changes: 0,
    error: null as unknown,
  };
  const tasks = {
    find: async () => stored.task,
    monitor: async () => stored.monitor,
    changeMonitor: async (_: Task, __: string, change: (monitor: TaskMonitor) => boolean) => {
      if (stored.error !== null) throw stored.error;
      stored.changes += 1;
      change(stored.monitor);
      return stored.monitor;
    },
  } as unknown as TaskStore;
  const metrics = new Metrics();
  let build = 'm-1';
  let calibration = 'c';
  const parts = {
    storage: { tasks },
    metrics,
    log: { warn: log('warn'), info: log('info'), error: log('error') } as never,
    clock,
    buildOf: () => ({ id: build, calibration }),
  };
  const alarms = new TaskAlarms(parts);
  const monitors = new TaskMonitors({ ...parts, alarms });
  return {
    clock,
    lines,
    stored,
    alarms,
    monitors,
    task,
    answers: () => stored.monitor.report()[0]?.drift?.answers,
    use: (other: string) => {
      build = other;
    },
    recalibrate: () => {
      calibration = 'd';
    },
    /** Lets the answers that wait be added. */
    pass: async (ms = MONITOR_DELAY_MS) => {
      clock.advance(ms);
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    },
    gauges: async () => {
      const { values } = await metrics.instruments.taskAlarms.get();
      return Object.fromEntries(values.map(({ labels, value }) => [labels.alarm, value]));
    },
  };
}

test('answers are added together, some time after the first of them', async (t) => {
  const { monitors, task, stored, answers, pass } = opened();
  for (let at = 0; at < 10; at += 1) monitors.add(task, answer());
  await pass(MONITOR_DELAY_MS - 1);
  t.equal(answers(), 0);
  await pass(1);
  t.strictSame([answers(), stored.changes], [10, 1]);
  await pass();
  t.equal(stored.changes, 1, 'nothing waits');
  monitors.add(task, answer());
  await monitors.stop();
  t.strictSame([answers(), stored.changes], [11, 2]);
});

test('answers without a fit in force are not compared', async (t) => {
  const { monitors, task, answers, stored, pass } = opened();
  monitors.add(TASK, answer());
  monitors.add({ ...task, targetError: 0.1 }, answer());
  monitors.add(task, { ...answer(), build: 'm-2' });
  monitors.add(task, { ...answer(), calibration: 'd' });
  monitors.add(task, { ...answer(), version: 2 });
  monitors.add(task, { ...answer(), probabilities: [[]] });
  await pass();
  t.equal(answers(), 0);
  t.throws(() => monitors.add(task, answer([1, 1])));
  monitors.add(task, answer());
  stored.monitor = monitorOf(fitOf(TASK, 1));
  monitors.add(fitted(1), answer());
  monitors.add(fitted(1), answer());
  await pass();
  t.equal(answers(), 2, 'the answer of the fit before is left out');
});

test('answers of an earlier fit replace none of a later one, and a later fit those of an earlier one', async (t) => {
  const { monitors, stored, answers, pass } = opened(fitted(1));
  const later = fitted(1);
  monitors.add(later, answer());
  monitors.add(fitted(0), answer());
  monitors.add(later, answer());
  await pass();
  t.equal(answers(), 2, 'another node answers with an earlier copy of the task');
  stored.error = new ApiError('overloaded', 'later', { retryAfterSeconds: 1 });
  monitors.add(later, answer());
  const added = pass();
  monitors.add(fitted(0), answer());
  await added;
  stored.error = null;
  await pass();
  t.equal(answers(), 3, 'also while the storage cannot be used');
});

test('answers wait for a storage that cannot be used, and are never added twice', async (t) => {
  const { monitors, task, stored, answers, pass, lines } = opened();
  stored.error = new ApiError('overloaded', 'later', { retryAfterSeconds: 1 });
  monitors.add(task, answer());
  await pass();
  monitors.add(task, answer([0.75, 0.25]));
  await pass();
  t.equal(answers(), 0);
  t.strictSame(lines, [], 'the storage reports it');
  stored.error = null;
  await pass();
  t.equal(answers(), 2);
  const { drift } = stored.monitor.toJSON().questions[0] as { drift: { window: number[] } };
  t.strictSame(drift.window, [answerCode([0.25, 0.75]), answerCode([0.75, 0.25])], 'in their order');
  stored.error = new ApiError('outcome_unknown', 'stored or not', { retryAfterSeconds: 1 });
  monitors.add(task, answer());
  await pass();
  stored.error = null;
  await pass();
  t.equal(answers(), 2, 'they may be stored');
  t.match(lines, [{ level: 'error', task: 'task_a' }]);
});

test('so many answers to questions wait, and no more', async (t) => {
  const { monitors, task, stored, answers, pass } = opened();
  stored.error = new ApiError('overloaded', 'later', { retryAfterSeconds: 1 });
  for (let at = 0; at < MONITOR_WAITING_MAX - 1; at += 1) monitors.add(task, answer());
  await pass();
  for (let at = 0; at < 2; at += 1) monitors.add(task, answer());
  stored.error = null;
  await pass();
  t.equal(answers(), MONITOR_WAITING_MAX);
});

test('an alarm is counted and logged when it begins and when it ends', async (t) => {
  const { monitors, task, stored, pass, lines, gauges, clock } = opened();
  t.strictSame(await gauges(), { drift: 0, error: 0 });
  for (let at = 0; at < 500; at += 1) monitors.add(task, answer());
  await pass();
  t.strictSame(await gauges(), { drift: 1, error: 0 });
  const fields = { task: 'task_a', workspace: 'w', model: 'm-1' };
  const begun = { level: 'warn', ...fields, message: 'answers to a task have drifted' };
  t.strictSame(lines, [begun]);
  monitors.add(task, answer());
  await pass();
  await pass(ALARMS_EVERY_MS);
  t.strictSame(lines, [begun], 'it goes on');
  stored.monitor = monitorOf(fitOf(TASK, 1));
  stored.task = fitted(1);
  await pass(ALARMS_EVERY_MS);
  t.strictSame(await gauges(), { drift: 0, error: 0 });
  t.strictSame(lines, [begun, { level: 'info', ...fields, message: 'the drift alarm of a task has ended' }]);
  t.equal(clock.timers(), 0);
  t.notMatch(JSON.stringify(lines), /secret-name/);
});

test('a fit that is not in force any more raises no alarm', async (t) => {
  const wrong = { build: 'm-1', probabilities: [[0.25, 0.75]], expected: { q: 0 } };
  const raised = () => {
    const monitor = monitorOf(fitOf(TASK));
    monitor.addLabels(fitOf(TASK), Array(20).fill(wrong));
    return monitor;
  };
  const changes: ReadonlyArray<(world: ReturnType<typeof opened>) => void> = [
    ({ stored }) => {
      stored.task = { ...fitted(), version: 2 };
    },
    ({ stored }) => {
      stored.task = { ...fitted(), targetError: 0.1 };
    },
    ({ stored }) => {
      stored.task = fitted(1);
    },
    ({ use }) => use('m-2'),
  ];
  for (const change of changes) {
    const world = opened();
    const { stored, alarms, monitors, pass, gauges, lines, clock, task } = world;
    stored.monitor = raised();
    monitors.add(task, answer());
    change(world);
    await pass();
    await alarms.look(task, 'm-1');
    await alarms.observe(task, 'm-1', stored.monitor);
    t.strictSame([await gauges(), lines, clock.timers()], [{ drift: 0, error: 0 }, [], 0]);
  }
});

test('an alarm ends with its task, its fit, and when another build answers or it has other temperatures', async (t) => {
  for (const end of [
    ({ stored }: ReturnType<typeof opened>) => {
      stored.task = undefined;
    },
    ({ stored }: ReturnType<typeof opened>) => {
      stored.task = { ...fitted(), id: 'task_b' };
    },
    ({ stored }: ReturnType<typeof opened>) => {
      stored.task = { ...fitted(), version: 2 };
    },
    ({ use }: ReturnType<typeof opened>) => use('m-2'),
    ({ recalibrate }: ReturnType<typeof opened>) => recalibrate(),
  ]) {
    const world = opened();
    const { stored, alarms, pass, gauges, task } = world;
    const fit = fitOf(TASK);
    const wrong = { build: 'm-1', probabilities: [[0.25, 0.75]], expected: { q: 0 } };
    stored.monitor.addLabels(fit, Array(20).fill(wrong));
    await alarms.look(task, 'm-1');
    t.strictSame(await gauges(), { drift: 0, error: 1 });
    end(world);
    await pass(ALARMS_EVERY_MS);
    t.strictSame(await gauges(), { drift: 0, error: 0 });
    alarms.stop();
  }
});
