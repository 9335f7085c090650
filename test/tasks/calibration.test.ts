// What is known of answers counts only beside answers of the same calibration.
import { randomBytes } from 'node:crypto';
import { test } from 'tap';
import { placeOf, seal } from '../../src/sealing/index.js';
import { NO_SHADOW_ANSWERS } from '../../src/statistics/index.js';
import {
  answerRef,
  comparesSame,
  fitOf,
  labelsByFit,
  openAnswer,
  outdatedFitOf,
  sealAnswer,
  type Task,
  type TaskAnswer,
  withPairs,
} from '../../src/tasks/index.js';
import { outdatedWarnings } from '../../src/tasks/monitor/monitor-object.js';
import { NOUL } from '../support/decide/questions.js';
import { SHADOWED } from '../support/shadow-world.js';
import { fitOf as madeFit } from '../support/store/fitted-task.js';

const KEY = randomBytes(32);
const ANSWER: TaskAnswer = { reference: 'r', version: 1, build: 'm-1', probabilities: [[0.25, 0.75]] };
const FIT = madeFit(SHADOWED);
const { calibration: _, ...OLD } = FIT;

test('an answer is kept with its calibration; rows of earlier versions have none', async (t) => {
  const shadow = { build: 'n-1', probabilities: [[0.5, 0.5]], since: 7 };
  for (const answer of [
    ANSWER,
    { ...ANSWER, calibration: 'c' },
    { ...ANSWER, shadow },
    { ...ANSWER, calibration: 'c', shadow },
  ]) {
    t.strictSame(openAnswer(KEY, { id: 'task_a' }, sealAnswer(KEY, { id: 'task_a' }, answer, 0)), answer);
  }
  const ref = answerRef(KEY, 'r');
  const rowOf = (values: readonly unknown[]) => {
    const sealed = seal(KEY, placeOf('task_answers', 'task_a', ref), Buffer.from(JSON.stringify(values)));
    return { ref, at: 0, version: 1, build: 'm-1', sealed: sealed.toString('base64') };
  };
  t.strictSame(openAnswer(KEY, { id: 'task_a' }, rowOf(['r', [[0.25, 0.75]]])), ANSWER);
  t.strictSame(openAnswer(KEY, { id: 'task_a' }, rowOf(['r', [[0.25, 0.75]], shadow])), {
    ...ANSWER,
    shadow,
  });
});

test('a fit is in force for its calibration only, and one without is never', async (t) => {
  const task: Task = { ...SHADOWED, fits: [FIT] };
  const [same, other] = ['c', 'd'].map((calibration) => ({ build: 'm-1', calibration }));
  t.strictSame([fitOf(task, same!), outdatedFitOf(task, same!)], [FIT, undefined]);
  t.strictSame([fitOf(task, other!), outdatedFitOf(task, other!)], [undefined, FIT]);
  t.equal(outdatedFitOf({ ...task, version: 2 }, other!), undefined, 'of an earlier version');
  const old: Task = { ...SHADOWED, fits: [OLD] };
  t.strictSame([fitOf(old, same!), outdatedFitOf(old, same!)], [undefined, OLD]);
  t.equal(fitOf(old, { build: 'm-1' }), undefined);
});

test('a threshold that is not in force is a warning that says why', async (t) => {
  const questions = ['q', 'r'].map((name) => ({ ...NOUL, name }));
  const [acceptance] = FIT.acceptances;
  const fit = { ...FIT, acceptances: [acceptance!, { ...acceptance!, threshold: null }] };
  t.match(outdatedWarnings(fit, questions), [
    { type: 'fit_outdated', question: 'q', message: /"q" is not in force: the temperatures, .* of m-1 have/ },
  ]);
  t.match(outdatedWarnings(OLD, questions), [{ message: /an earlier version of the server made the fit/ }]);
  t.strictSame(outdatedWarnings(undefined, questions), []);
});

test('labels test a fit of the calibration of their answers', async (t) => {
  const task: Task = { ...SHADOWED, fits: [FIT] };
  const first = { build: 'm-1', probabilities: [[0.25, 0.75]], expected: { q: 1 } };
  const firsts = [first, { ...first, calibration: 'c' }];
  t.strictSame(labelsByFit(task, [...firsts, { ...first, calibration: 'd' }]), [[FIT, firsts]]);
});

test('counts of a shadow begin anew with another calibration of one of both builds', async (t) => {
  const compared = { version: 1, live: 'm-1', shadow: 'n-1', calibrations: 'c/d' };
  const pairs = { ...compared, questions: [{ ...NO_SHADOW_ANSWERS, answers: 1 }], answers: [] };
  const before = withPairs(null, pairs, 5);
  t.match(withPairs(before, pairs, 9), { since: 5, questions: [{ answers: 2 }] });
  for (const calibrations of ['c/e', 'e/d'])
    t.match(withPairs(before, { ...pairs, calibrations }, 9), { since: 9, questions: [{ answers: 1 }] });
  const { calibrations, ...old } = compared;
  t.ok(comparesSame(old, compared) && comparesSame(compared, old), 'what was stored without it goes on');
  t.match(withPairs({ ...old, since: 5, questions: pairs.questions }, pairs, 9), { since: 5, calibrations });
});
