import { test } from 'tap';
import { readStoredQuestions } from '../../src/decide/index.js';
import { answerCode, DriftMonitor } from '../../src/statistics/index.js';
import { driftJson, type Task, type TaskFit, TaskMonitor, warningsOf } from '../../src/tasks/index.js';
import { fitOf } from '../support/store/fitted-task.js';

const QUESTIONS = readStoredQuestions(
  '{"__proto__":{"type":"choice","criteria":{"b\\"1":null,"a":null,"c":null}},"2":{"type":"noul"},"1":{"type":"noul"}}',
);
const NAMES = QUESTIONS.map(({ name }) => name);
const TASK = { version: 1, targetError: 0.05, confidence: 0.95 } as Task;
const ACCEPTANCE = { temperature: 1, threshold: 0.7 };

/** A monitor whose first question has labelled answers, and whose last has none. */
function monitorOf(labelled: ReadonlyArray<readonly number[]>): { fit: TaskFit; monitor: TaskMonitor } {
  const fit = { ...fitOf(TASK), acceptances: [{ ...ACCEPTANCE, threshold: null }, ACCEPTANCE, null] };
  const references = [
    DriftMonitor.of(labelled).state(),
    DriftMonitor.of(Array(20).fill([0.8, 0.2])).state(),
    null,
  ];
  return { fit, monitor: TaskMonitor.of(fit, NAMES, references) };
}
const repeated = (probabilities: readonly number[], count = 250) =>
  Array<number>(count).fill(answerCode(probabilities));

test('the figures of each question, in the order of the questions', (t) => {
  const { fit, monitor } = monitorOf(Array(20).fill([0.8, 0.1, 0.1]));
  monitor.addAnswers(fit, [repeated([0.8, 0.1, 0.1], 10), repeated([0.8, 0.2], 10), repeated([1, 0], 10)]);
  const json = driftJson(monitor.report(), QUESTIONS);
  t.match(json, /^\{"__proto__":\{.*\},"2":\{.*\},"1":null\}$/);
  const drift = JSON.parse(json);
  t.match(drift['2'], { answers: 10, window: 10, alarm: null, errors: { labels: 0 } });
  const first = JSON.parse(json.slice(json.indexOf(':') + 1, json.indexOf(',"2"')));
  t.strictSame(first.chosen.labelled, [1, 0, 0]);
  t.match(first.chosen, { stability_index: 0, unchanged: 0 }, 'one option only');
  t.equal(first.errors, null, 'no threshold');
  t.strictSame(warningsOf(monitor.report(), QUESTIONS), []);
  t.end();
});

test('a warning says what has changed', (t) => {
  const { fit, monitor } = monitorOf(Array(20).fill([0.8, 0.1, 0.1]));
  monitor.addAnswers(fit, [repeated([0.1, 0.1, 0.8]), repeated([0.55, 0.45])]);
  const warnings = warningsOf(monitor.report(), QUESTIONS);
  t.strictSame(
    warnings.map(({ type, question }) => [type, question]),
    [
      ['drift', '__proto__'],
      ['drift', '2'],
    ],
  );
  t.equal(
    warnings[0]?.message,
    'The answers to "__proto__" have changed: "c" was chosen in 100 % of the last answers (after 250), and in 0 % of the labelled answers. Label recent answers, then fit again.',
  );
  t.match(warnings[1]?.message, /"2" have changed: the confidence was below 0\.\d+ in 100 % of the last/);
  const drift = driftJson(monitor.report(), QUESTIONS);
  t.match(drift, '"compared_with":"labelled","chosen":"c","share_before":0,"share_now":1');
  t.match(drift, /"confidence_below":0\.\d+,"share_before":0,"share_now":1/);
  t.end();
});

test('a warning says how many accepted answers are wrong', (t) => {
  const { fit, monitor } = monitorOf([[1, 0, 0]]);
  const label = {
    build: 'm-1',
    probabilities: [
      [1, 0, 0],
      [0.8, 0.2],
      [1, 0],
    ],
    expected: { 2: 1, 1: 1 },
  };
  monitor.addLabels(fit, Array(30).fill(label));
  monitor.addLabels(fit, Array(970).fill({ ...label, expected: { 2: 0 } }));
  const alarm = monitor.report()[1]?.errors?.alarm;
  t.ok(alarm !== null && alarm !== undefined && alarm < 10);
  const [warning, ...others] = warningsOf(monitor.report(), QUESTIONS);
  t.strictSame(others, []);
  t.strictSame(warning, {
    type: 'error_above_target',
    question: '2',
    message: `The error among accepted answers to "2" was above the target of 5 % when ${alarm} were labelled since the fit: of 1000 until now, 30 are wrong. Fit again.`,
  });
  t.strictSame(monitor.alarms(), { drift: false, error: true });
  t.equal(monitor.reportOf({ version: 1, at: 1 }), null);
  t.end();
});

test('a state that this version does not write is none', (t) => {
  const { monitor } = monitorOf([[1, 0, 0]]);
  const stored = JSON.parse(JSON.stringify(monitor));
  t.strictSame(JSON.parse(JSON.stringify(TaskMonitor.from(stored))), stored);
  const [first, ...others] = stored.questions;
  for (const bad of [
    null,
    {},
    { ...stored, format: 'monitor 2' },
    { ...stored, questions: [{ ...first, drift: {} }, ...others] },
    { ...stored, questions: [{ ...first, errors: {} }, ...others] },
  ]) {
    t.equal(TaskMonitor.from(bad), null);
  }
  t.end();
});
