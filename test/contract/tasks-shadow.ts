import { gzipSync } from 'node:zlib';
import { CHANGES } from '../../src/access/index.js';
import { LIMITS } from '../../src/api/index.js';
import { BUILDS, type Reply } from '../support/contract/service.js';
import { type ContractTest, httpRule, rule } from '../support/contract/suite.js';
import { isRefusal, TASK, tasksOf } from '../support/contract/task-calls.js';
import { used } from '../support/contract/used.js';
import { until } from '../support/until.js';

const SHADOW = { model: 'decider-g-31b', share: 1 };
const LIVE_BUILD = BUILDS['decider-g-12b'];
const SHADOW_BUILD = BUILDS['decider-g-31b'];
type Tasks = ReturnType<typeof tasksOf>;

/** Decides states, each after the shadow of the one before was counted. Returns the responses. */
async function counted(tasks: Tasks, name: string, states: number): Promise<Reply[]> {
  const replies: Reply[] = [];
  const before = await answersOf(tasks, name);
  for (let at = 0; at < states; at += 1) {
    replies.push(await tasks.decide(name, { state: `state ${before + at}` }));
    await until(async () => (await answersOf(tasks, name)) === before + at + 1);
  }
  return replies;
}

const answersOf = async (tasks: Tasks, name: string): Promise<number> =>
  (await tasks.show(name)).json.shadow.questions.q.answers;

/** Shadow builds: contract 2.15, and 4.11 rules 18 to 21. */
export const TASK_SHADOWS: readonly ContractTest[] = [
  rule('4.11 rule 18: a shadow is checked, and no part of a version', async (t, service) => {
    const { account, administration } = service;
    const { token, workspace } = await account('shadow-put');
    const tasks = tasksOf(service, token);
    t.equal((await tasks.put('s', TASK)).json.shadow, null);
    const put = (shadow: unknown) => tasks.put('s', { ...TASK, shadow });
    for (const share of [Number.MIN_VALUE, 1]) t.equal((await put({ ...SHADOW, share })).status, 200);
    const refused = [
      [],
      'decider-g-31b',
      1,
      {},
      { model: 'decider-g-31b' },
      { ...SHADOW, model: null },
      ...[0, -1, 1 + Number.EPSILON, '1', null].map((share) => ({ ...SHADOW, share })),
    ];
    for (const shadow of refused) t.ok(isRefusal(await put(shadow), 'invalid_task'), JSON.stringify(shadow));
    t.ok(isRefusal(await put({ ...SHADOW, model: 'unknown' }), 'model_not_found'));
    const { json } = await put(SHADOW);
    t.match(json, { version: 1, versions: { length: 1 }, shadow: SHADOW });
    t.strictSame((await put(SHADOW)).json, json, 'an equal body changes nothing');
    t.equal((await tasks.put('s', TASK)).json.shadow, null, 'a field that is left out');
    t.equal((await put(null)).json.shadow, null);
    const kept = (await put(SHADOW)).json;
    await administration.change(CHANGES.changeWorkspace(workspace, { models: ['decider-g-12b'] }));
    t.strictSame((await put(SHADOW)).json, kept, 'the task has this shadow');
    t.equal((await put(null)).json.shadow, null);
    t.ok(isRefusal(await put(SHADOW), 'model_not_allowed'));
  }),
  rule('2.15: a shadow, in its documented shape', async (t, service) => {
    const tasks = tasksOf(service, (await service.account('shadow-shape')).token);
    const { shadow } = (await tasks.put('s', { ...TASK, shadow: SHADOW })).json;
    t.strictSame(shadow, {
      ...SHADOW,
      builds: { live: LIVE_BUILD, shadow: SHADOW_BUILD },
      since: null,
      questions: {
        q: {
          answers: 0,
          agreement: null,
          mean_difference: null,
          largest_difference: null,
          accept_changed: null,
          newly_accepted: 0,
          no_longer_accepted: 0,
          labels: 0,
          live_accuracy: null,
          shadow_accuracy: null,
          accuracy_difference: null,
        },
      },
    });
    await counted(tasks, 's', 2);
    const after = (await tasks.show('s')).json.shadow;
    t.match(after, { ...SHADOW, builds: shadow.builds, since: /^20\d\d-.*Z$/ });
    t.strictSame(Object.keys(after.questions.q), Object.keys(shadow.questions.q));
    const { agreement, mean_difference: mean, largest_difference: largest } = after.questions.q;
    t.match(agreement, { value: Number, ci: [Number, Number] });
    // Both builds have the same weights.
    t.strictSame([agreement.value, mean, largest], [1, 0, 0]);
  }),
  rule('4.11 rule 19: shadows are compared, and not charged', async (t, service) => {
    const { account, get, gateway } = service;
    const cost = async (id: string, shadow: object | null) => {
      const { token } = await account(id);
      const tasks = tasksOf(service, token);
      await tasks.put('s', { ...TASK, shadow });
      if (shadow === null) for (const at of [0, 1, 2]) await tasks.decide('s', { state: `state ${at}` });
      else await counted(tasks, 's', 3);
      const usage = await get('/v1/usage', { token });
      const { credit } = (await get('/v1/limits', { token })).json;
      return { rows: used(usage), total: usage.json.total, credit };
    };
    t.strictSame(await cost('shadow-free', SHADOW), await cost('shadow-none', null));
    const { token } = await account('shadow-rates');
    const tasks = tasksOf(service, token);
    await tasks.put('s', { ...TASK, shadow: SHADOW });
    const left = ({ headers }: Reply) => Number(headers.get('x-ratelimit-remaining-requests'));
    const first = await tasks.decide('s', { state: 'x' });
    await until(async () => (await answersOf(tasks, 's')) === 1);
    const calls = left(first) - left(await tasks.show('s'));
    const shown = left(await tasks.show('s')) - left(await tasks.show('s'));
    t.equal(shown, 1);
    t.ok(calls >= 2, 'the calls of this test alone');
    await tasks.decide('s', { state: 'y' }, { path: `${gateway}/v1/tasks/s/decide` });
    await counted(tasks, 's', 1);
    t.equal(await answersOf(tasks, 's'), 2, 'the endpoint of another build is not compared');
    t.equal(used(await get('/v1/usage', { token })).length, 2, 'one row per model that answered');
  }),
  rule('2.15 accuracy: labels of answers that both builds have given', async (t, service) => {
    const tasks = tasksOf(service, (await service.account('shadow-labels')).token);
    await tasks.put('s', { ...TASK, shadow: SHADOW });
    const replies = await counted(tasks, 's', 4);
    const expected = replies.map(({ json }) => json.answers.q.noul >= 0.5);
    const label = (at: number, q: boolean | null) => ({
      request_id: replies[at]?.headers.get('x-request-id'),
      expected: { q },
    });
    await tasks.label('s', ...expected.map((q, at) => label(at, q)), {
      state: 'other',
      expected: { q: true },
    });
    const { q } = (await tasks.show('s')).json.shadow.questions;
    t.match(q, { answers: 4, labels: 4, live_accuracy: { value: 1 } });
    t.equal(q.shadow_accuracy.value, q.agreement.value);
    t.equal(q.accuracy_difference.value, q.shadow_accuracy.value - 1);
    await tasks.label('s', label(0, null), label(1, !expected[1]));
    const corrected = (await tasks.show('s')).json.shadow.questions.q;
    t.match(corrected, { labels: 3, live_accuracy: { value: 2 / 3 } });
  }),
  httpRule('4.11 rule 21: a shadow is promoted, unless something has changed', async (t, service) => {
    const { account, post, administration } = service;
    const { token, workspace, key } = await account('shadow-promote');
    const tasks = tasksOf(service, token);
    const promote = (body: unknown = '', name = 's') =>
      post(body, { path: `/v1/tasks/${name}/promote`, token });
    t.ok(isRefusal(await promote(), 'task_not_found'));
    t.ok(isRefusal(await promote('', '..'), 'not_found'));
    await tasks.put('s', TASK);
    t.ok(isRefusal(await promote(), 'no_shadow'));
    await tasks.put('s', { ...TASK, shadow: SHADOW });
    t.ok(isRefusal(await promote(), 'shadow_changed'), 'nothing is counted');
    await counted(tasks, 's', 1);
    for (const expected of [{ version: 2 }, { model: 'decider-g-31b' }, { model: LIVE_BUILD }])
      t.ok(isRefusal(await promote(expected), 'shadow_changed'));
    for (const wrong of ['[]', { version: '1' }, { version: 1.5 }, { model: 1 }])
      t.ok(isRefusal(await promote(wrong), 'invalid_request'));
    t.ok(isRefusal(await promote('{'), 'invalid_json'));
    const other = await account('shadow-other');
    t.ok(
      isRefusal(await post('', { path: '/v1/tasks/s/promote', token: other.token }), 'task_not_found'),
      'another workspace',
    );
    t.equal((await tasks.show('s')).json.version, 1);
    const { status, json } = await promote({ version: 1, model: SHADOW_BUILD });
    t.equal(status, 200);
    t.match(json, { version: 2, model: SHADOW_BUILD, shadow: null, fit: null, questions: TASK.questions });
    t.strictSame((await tasks.show('s')).json, json);
    t.match((await tasks.decide('s', { state: 'x' })).json, { model: SHADOW_BUILD, task: { version: 2 } });
    t.strictSame((await promote({ version: 1, model: SHADOW_BUILD })).json.version, 2, 'the same call again');
    for (const other of ['', { model: SHADOW_BUILD }, { version: 1, model: LIVE_BUILD }])
      t.ok(isRefusal(await promote(other), 'no_shadow'), 'another call');
    const { entries } = await administration.audit(1, undefined, undefined, { action: 'task.promote' });
    t.match(entries, [
      { actor: `key:${key}`, workspace, key, changes: [{ field: 'task', after: 's' }, {}, {}] },
    ]);
  }),
  httpRule('8 limit promotion body: 1 KiB as sent and decompressed, and no more', async (t, service) => {
    const { token } = await service.account('shadow-body');
    const tasks = tasksOf(service, token);
    await tasks.put('s', TASK);
    const bodyOf = (length: number) => {
      const body = JSON.stringify({ other: '' });
      return body.replace('""', `"${'x'.repeat(length - body.length)}"`);
    };
    const promote = (body: unknown, headers = {}) =>
      service.post(body, { path: '/v1/tasks/s/promote', token, headers });
    const gzip = { 'content-encoding': 'gzip' };
    const [largest, larger] = [bodyOf(LIMITS.promotionBytes), bodyOf(LIMITS.promotionBytes + 1)];
    t.ok(isRefusal(await promote(largest), 'no_shadow'));
    t.ok(isRefusal(await promote(gzipSync(largest), gzip), 'no_shadow'));
    t.ok(isRefusal(await promote(larger), 'body_too_large'));
    t.ok(isRefusal(await promote(gzipSync(larger), gzip), 'body_too_large'));
  }),
];
