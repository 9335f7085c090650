import { ERRORS } from '../../src/api/index.js';
import type { Sending } from '../support/contract/service.js';
import { ASK, type ContractTest, httpRule, rule } from '../support/contract/suite.js';
import { isRefusal, TASK, tasksOf } from '../support/contract/task-calls.js';
import { used } from '../support/contract/used.js';

/** Labels with which a fit is made. */
const FIT_LABELS = 24;
/** A promise that few labels can keep. */
const FITTED_TASK = {
  questions: { ...ASK, other: { type: 'noul' } },
  target_error: 0.5,
  confidence: 0.5,
};

/** Makes a task, and labels answers to its first question as correct. */
async function fittedTask(tasks: ReturnType<typeof tasksOf>): Promise<void> {
  await tasks.put('f', FITTED_TASK);
  const labels: object[] = [];
  for (let at = 0; at < FIT_LABELS; at += 1) {
    const { headers, json } = await tasks.decide('f', { state: `state ${at}` });
    const request_id = headers.get('x-request-id');
    labels.push({ request_id, expected: { q: json.answers.q.noul >= 0.5 } });
  }
  await tasks.label('f', ...labels);
}

/** Labels and fits: contract 4.11 rules 10, 11, 12, 14 and 15. */
export const TASK_LABELS: readonly ContractTest[] = [
  httpRule('4.11 rule 10: answers are labelled, and labels corrected', async (t, service) => {
    const tasks = tasksOf(service, (await service.account('task-labels')).token);
    await tasks.put('l', { questions: { ...ASK, team: { type: 'choice', criteria: ['a', 'b'] } } });
    const requestId = async () =>
      (await tasks.decide('l', { state: 'x' })).headers.get('x-request-id') as string;
    const [one, two] = [await requestId(), await requestId()];
    const made = await tasks.label(
      'l',
      { request_id: one, expected: { q: true } },
      { request_id: two, expected: { q: false, team: 'b' } },
    );
    t.equal(made.status, 200);
    t.strictSame(made.json, { object: 'labels', task: { name: 'l', version: 1 }, lines: 2, labels: 2 });
    const corrected = await tasks.label('l', { request_id: one, expected: { q: false, team: null } });
    t.strictSame([corrected.json.lines, corrected.json.labels], [1, 2]);
    t.equal((await tasks.show('l')).json.labels, 2);
    t.ok(isRefusal(await tasks.label('none', { request_id: one, expected: { q: true } }), 'task_not_found'));
  }),
  httpRule('4.11 rule 11: one invalid line refuses all labels of a call', async (t, service) => {
    const tasks = tasksOf(service, (await service.account('task-bad-labels')).token);
    await tasks.put('l', TASK);
    const requestId = (await tasks.decide('l', { state: 'x' })).headers.get('x-request-id');
    const label = { request_id: requestId, expected: { q: true } };
    const refused = await tasks.label('l', label, { ...label, expected: { q: 1 } }, {});
    t.equal(refused.status, ERRORS.invalid_labels.status);
    t.match(refused.json, { type: 'invalid_labels', invalid_lines: 2, errors: [{ line: 2 }, { line: 3 }] });
    const unknown = await tasks.label('l', label, { ...label, request_id: `req_${'x'.repeat(24)}` });
    t.match(unknown.json, { type: 'invalid_labels', errors: [{ line: 2, type: 'answer_not_found' }] });
    await tasks.put('l', { ...TASK, model: 'decider-g-12b' });
    const earlier = await tasks.label('l', label);
    t.match(earlier.json, { errors: [{ line: 1, type: 'answer_of_other_version' }] });
    t.equal((await tasks.show('l')).json.labels, 0);
  }),
  rule('4.11 rule 12: a state is decided first, and charged with its label', async (t, service) => {
    const { account, get } = service;
    const { token } = await account('task-states');
    const tasks = tasksOf(service, token);
    await tasks.put('l', TASK);
    const label = { state: { a: 1 }, expected: { q: true } };
    t.strictSame((await tasks.label('l', label)).json.labels, 1);
    t.strictSame(
      (await tasks.label('l', { ...label, expected: { q: false } })).json.labels,
      1,
      'a correction',
    );
    const usage = await get('/v1/usage', { token });
    t.match(used(usage), [{ kind: 'batch', requests: 2 }]);
    const refused = await tasks.label('l', label, {
      state: '[p]',
      expected: { q: true },
      assets: { '[p]': {} },
    });
    t.match(refused.json, { type: 'invalid_labels', errors: [{ line: 2, type: 'invalid_assets' }] });
    const { total } = (await get('/v1/usage', { token })).json;
    t.strictSame(total, usage.json.total, 'nothing is charged for labels that are refused');
    const poor = await account('task-states-poor', 0);
    await tasksOf(service, poor.token).put('l', TASK);
    t.ok(isRefusal(await tasksOf(service, poor.token).label('l', label), 'out_of_credit'));
  }),
  httpRule('4.11 rule 14: a fit of the labels, in its documented shape', async (t, service) => {
    const tasks = tasksOf(service, (await service.account('task-fit')).token);
    await fittedTask(tasks);
    const { status, json } = await tasks.fit('f');
    t.equal(status, 200);
    t.strictSame(Object.keys(json), [
      'object',
      'task',
      'model',
      'target_error',
      'confidence',
      'fitted_at',
      'questions',
    ]);
    t.match(json, {
      object: 'fit',
      task: { name: 'f', version: 1 },
      model: /^decider-g-12b-/,
      target_error: 0.5,
      confidence: 0.5,
    });
    t.match(json.questions.other, { refused: 'too_few_labels', labels: 0 });
    const { labels, tested, temperature, quality, threshold } = json.questions.q;
    t.equal(labels, FIT_LABELS);
    t.ok(tested > 0 && tested < labels);
    t.strictSame([temperature.value, quality.n, quality.accuracy], [1, tested, 1]);
    t.match(threshold, { wrong: 0, coverage: { value: Number }, error: { value: 0 } });
    t.ok(threshold.accepted > 0 && threshold.error_max <= 0.5);
    t.match(quality.reliability, [{ n: tested, from: Number, to: Number, confidence: Number, accuracy: 1 }]);
    const { coverage } = quality;
    t.match(coverage[0], { threshold: Number, n: Number, coverage: Number, error: 0 });
    t.match(coverage.at(-1), { n: tested, coverage: 1 });
    const { fit, drift, warnings } = (await tasks.show('f')).json;
    t.strictSame(fit, json);
    t.strictSame(warnings, []);
    t.strictSame(Object.keys(drift), ['q', 'other']);
    t.equal(drift.other, null);
    t.match(drift.q, {
      answers: Number,
      window: Number,
      alarm: null,
      chosen: { labelled: [Number, Number] },
    });
    t.match(drift.q.errors, { labels: 0, wrong: 0, evidence: 1, alarm_at: 2, after_labels: null });
    const [entry] = (await tasks.list()).json.data;
    t.match(entry, { name: 'f', answers: FIT_LABELS, labels: FIT_LABELS, fitted_at: json.fitted_at });
    t.ok(isRefusal(await tasks.fit('none'), 'task_not_found'));
  }),
  rule('4.11 rule 14: too few labels are refused with the number', async (t, service) => {
    const tasks = tasksOf(service, (await service.account('task-few')).token);
    await tasks.put('f', TASK);
    const { status, json } = await tasks.fit('f');
    t.equal(status, ERRORS.too_few_labels.status);
    t.match(json, { type: 'too_few_labels', questions: { q: { labels: 0, needed: Number } } });
    t.ok(json.questions.q.needed > 0);
  }),
  rule('4.11 rule 15: accept follows the fit in force', async (t, service) => {
    const { account, gateway } = service;
    const tasks = tasksOf(service, (await account('task-accept')).token);
    await fittedTask(tasks);
    const accepts = async (sending: Sending = {}) => {
      const { answers } = (await tasks.decide('f', { state: 'state 1' }, sending)).json;
      return [answers.q.accept, answers.other.accept];
    };
    t.strictSame(await accepts(), [null, null]);
    const { threshold } = (await tasks.fit('f')).json.questions.q.threshold;
    const headers = { 'service-raw-probabilities': 'true' };
    const raw = (await tasks.decide('f', { state: 'state 1' }, { headers })).json.answers.q.raw_probabilities;
    const accepted = Math.max(raw.true, raw.false) >= threshold;
    t.strictSame(await accepts(), [accepted, null]);
    const path = `${gateway}/v1/tasks/f/decide`;
    t.strictSame(await accepts({ path }), [null, null], 'another build');
    await tasks.put('f', { ...FITTED_TASK, target_error: 0.4 });
    t.strictSame(await accepts(), [null, null], 'another promise');
    t.equal((await tasks.show('f')).json.fit, null);
    await tasks.put('f', { ...FITTED_TASK, description: 'the promise of before' });
    t.strictSame(await accepts(), [accepted, null]);
    await tasks.put('f', { ...FITTED_TASK, model: 'decider-g-12b' });
    t.strictSame(await accepts(), [null, null], 'another version');
    t.equal((await tasks.show('f')).json.fit, null);
  }),
];
