import { CHANGES } from '../../src/access/index.js';
import { BatchKey, hold, newKey, outcomes } from '../support/contract/batch-calls.js';
import { BUILDS } from '../support/contract/service.js';
import { ASK, type ContractTest, rule } from '../support/contract/suite.js';
import { TASK, tasksOf } from '../support/contract/task-calls.js';
import { used } from '../support/contract/used.js';
import { until } from '../support/until.js';

/** A line that names a task. */
const line = (customId: string, task: unknown, more: object = {}): string =>
  JSON.stringify({ custom_id: customId, task, state: `state of ${customId}`, ...more });
const lines = (count: number, task: string): string[] =>
  Array.from({ length: count }, (_, at) => line(`l${at}`, task));

/** Lines of batches that name a task: contract 2.5. */
export const BATCHES_TASKS: readonly ContractTest[] = [
  rule('2.5 task: the response of its decide, kept and labelled', async (t, service) => {
    const { token, batches } = await newKey(service, 'batch-tasks');
    const tasks = tasksOf(service, token);
    const questions = { ...ASK, team: { type: 'choice', criteria: { b: null, a: 'second' } } };
    await tasks.put('t', { questions, model: 'decider-g-31b' });
    const more = { raw_probabilities: true, label_mass: true };
    const id = await batches.made([line('one', 't'), line('two', 't', more)]);
    const { models } = await batches.finished(id);
    t.strictSame(models, ['decider-g-31b']);
    const texts = (await batches.results(id)).text.split('\n');
    const headers = { 'service-raw-probabilities': 'true', 'service-label-mass': 'true' };
    for (const [at, name] of ['one', 'two'].entries()) {
      const live = await tasks.decide('t', { state: `state of ${name}` }, at === 0 ? {} : { headers });
      t.match(live.json, { task: { name: 't', version: 1 }, answers: { q: { accept: null } } });
      t.match(texts[at], `"status":200,"response":${live.text},"usage":`);
    }
    await until(async () => (await tasks.show('t')).json.answers === 4);
    const label = (custom_id: string, expected = { q: true }) => ({ batch_id: id, custom_id, expected });
    const labelled = await tasks.label('t', label('one'), label('two'));
    t.match(labelled.json, { lines: 2, labels: 2 });
    t.equal((await tasks.label('t', label('one', { q: false }))).json.labels, 2, 'a correction');
    const unknown = await tasks.label('t', label('three'));
    t.match(unknown.json, { errors: [{ line: 1, type: 'answer_not_found' }] });
  }),
  rule('2.5 task: questions and model beside it are refused, null is none', async (t, service) => {
    const { token, batches } = await newKey(service, 'batch-task-fields');
    await tasksOf(service, token).put('t', TASK);
    const refused = [
      line('a', 't', { questions: ASK }),
      line('b', 't', { model: 'decider-g-12b' }),
      line('c', 7),
      line('d', ['t']),
    ];
    const { json } = await batches.submit([...refused, line('e', 't')]);
    t.strictSame(
      json.errors.map((each: { line: number; type: string }) => [each.line, each.type]),
      refused.map((_, at) => [at + 1, 'invalid_line']),
    );
    const own = { model: 'decider-g-12b', questions: ASK };
    const results = await batches.answered([
      line('a', 't', { questions: null, model: null }),
      line('b', null, own),
      line('c', undefined, own),
    ]);
    t.strictSame(
      results.map(({ response }) => response.task ?? null),
      [{ name: 't', version: 1 }, null, null],
    );
  }),
  rule('2.5 task: those of the workspace, for each of its keys and no other', async (t, service) => {
    const { token, workspace } = await newKey(service, 'batch-task-owner');
    await tasksOf(service, token).put('private', TASK);
    const made = await service.administration.change(CHANGES.createKey(workspace));
    const second = new BatchKey(service, made.token);
    t.strictSame(outcomes(await second.answered([line('a', 'private')])), ['answered']);
    const { batches: stranger } = await newKey(service, 'batch-task-stranger');
    const { json } = await stranger.submit([line('a', 'private'), line('b', 'none')]);
    const [one, other] = json.errors;
    t.strictSame([one.type, { ...one, line: 2 }], ['task_not_found', other], 'as one that does not exist');
  }),
  rule('2.5 version of a task: the one in use at the submission', async (t, service) => {
    const { token, batches } = await newKey(service, 'batch-task-versions');
    const tasks = tasksOf(service, token);
    await tasks.put('t', TASK);
    await tasks.put('other', { questions: { other: { type: 'noul' } }, model: BUILDS['decider-g-31b'] });
    hold(t, service);
    const id = await batches.made([...lines(8, 't'), line('other', 'other')]);
    await service.engine.held();
    await tasks.put('t', { questions: { changed: { type: 'noul' } }, model: 'decider-g-31b' });
    service.engine.open();
    const results = await batches.collected(id);
    for (const { model, response } of results.slice(0, 8)) {
      t.strictSame([model, response.task], [BUILDS['decider-g-12b'], { name: 't', version: 1 }]);
      t.strictSame(Object.keys(response.answers), ['q']);
      t.equal(response.answers.q.accept, null);
    }
    t.match(results[8], {
      model: BUILDS['decider-g-31b'],
      response: { task: { name: 'other', version: 1 } },
    });
    const { models } = (await batches.show(id)).json;
    t.strictSame(models, ['decider-g-12b', BUILDS['decider-g-31b']]);
    const next = await batches.answered([line('next', 't')]);
    t.match(next, [{ response: { task: { version: 2 }, answers: { changed: { accept: null } } } }]);
    const earlier = await tasks.label('t', { batch_id: id, custom_id: 'l0', expected: { changed: true } });
    t.match(earlier.json, { errors: [{ type: 'answer_of_other_version' }] });
  }),
  rule('2.5 version of a task: lines of a deleted task fail, unbilled', async (t, service) => {
    const { token, batches } = await newKey(service, 'batch-task-deleted');
    const tasks = tasksOf(service, token);
    for (const again of [false, true]) {
      await tasks.put('t', TASK);
      hold(t, service);
      const id = await batches.made([
        ...lines(20, 't'),
        line('own', null, { model: 'decider-g-12b', ...TASK }),
      ]);
      await service.engine.held();
      await tasks.delete('t');
      if (again) await tasks.put('t', TASK);
      service.engine.open();
      const results = await batches.collected(id);
      const failed = results.filter(({ status }) => status !== 200);
      t.ok(failed.length > 10, 'but for what was in progress');
      for (const { status, model, error, response, usage } of failed) {
        t.strictSame([status, model, error?.type], [null, 'decider-g-12b', 'task_not_found']);
        t.strictSame([response, usage.input_tokens], [undefined, 0]);
      }
      t.equal(results.at(-1)?.status, 200, 'other lines run');
      const { status, counts } = (await batches.show(id)).json;
      t.strictSame([status, counts.failed], ['done', failed.length]);
      if (again) t.equal((await tasks.show('t')).json.answers, 0, 'nothing of the one before');
      if (again) await tasks.delete('t');
    }
  }),
  rule('2.5 version of a task: costs and estimate of the line written out', async (t, service) => {
    const { token, batches } = await newKey(service, 'batch-task-costs');
    const questions = {
      long: { type: 'noul', instructions: 'Is it so? '.repeat(50) },
      pick: { type: 'choice', criteria: ['a', 'b'] },
    };
    await tasksOf(service, token).put('t', { questions });
    const amounts: number[] = [];
    const estimates: number[] = [];
    for (const fields of [{ task: 't' }, { model: 'decider-g-12b', questions }]) {
      const file = [JSON.stringify({ custom_id: 'a', state: 'x', option_rotations: 2, ...fields })];
      const { json } = await batches.submit(file);
      estimates.push(json.estimated_cost.input_tokens);
      const [result] = await batches.collected(json.id);
      amounts.push(result?.usage.input_tokens ?? 0);
    }
    t.equal(amounts[0], amounts[1]);
    t.ok(Math.abs((estimates[0] as number) - (estimates[1] as number)) < 10, `${estimates}`);
    t.match(used(await service.get('/v1/usage', { token })), [
      { kind: 'batch', model: 'decider-g-12b', requests: 2, input_tokens: 2 * (amounts[0] as number) },
    ]);
  }),
];
