import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { CHANGES } from '../../src/access/index.js';
import { LIMITS } from '../../src/api/index.js';
import type { Reply } from '../support/contract/service.js';
import { ASK, type ContractTest, httpRule, rule } from '../support/contract/suite.js';
import { isRefusal, TASK, tasksOf } from '../support/contract/task-calls.js';
import { until } from '../support/until.js';

/** Contract 2.13 and contract 4.11. */
export const TASKS: readonly ContractTest[] = [
  httpRule('2.13: a task, in its documented shape', async (t, service) => {
    const tasks = tasksOf(service, (await service.account('task-shape')).token);
    const made = await tasks.put('mail', { ...TASK, description: 'Mail', other: 1 });
    t.equal(made.status, 200);
    const { created_at: created } = made.json;
    t.match(created, /^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/);
    const summary = {
      object: 'task',
      name: 'mail',
      version: 1,
      model: null,
      description: 'Mail',
      target_error: 0.05,
      confidence: 0.95,
      created_at: created,
      updated_at: created,
    };
    const whole = {
      ...summary,
      versions: [{ version: 1, model: null, created_at: created }],
      answers: 0,
      labels: 0,
      fit: null,
      drift: null,
      warnings: [],
      shadow: null,
      questions: ASK,
    };
    t.strictSame(made.json, whole);
    t.strictSame((await tasks.show('mail')).json, whole);
    await tasks.put('a', { ...TASK, model: 'decider-g-31b', target_error: 0.1, confidence: 0.9 });
    const { json } = await tasks.list();
    t.strictSame(Object.keys(json), ['object', 'data']);
    t.equal(json.object, 'list');
    t.match(json.data[0], { name: 'a', model: 'decider-g-31b', target_error: 0.1, confidence: 0.9 });
    t.strictSame(json.data[1], { ...summary, answers: 0, labels: 0, fitted_at: null });
  }),
  rule('2.13 questions: kept in the order sent', async (t, service) => {
    const tasks = tasksOf(service, (await service.account('task-order')).token);
    const questions =
      '{"10":{"type":"choice","criteria":{"2":"b","1":null}},"9":{"type":"noul"},"__proto__":{"type":"noul"}}';
    await tasks.put('order', `{ "questions" : ${questions.replaceAll(',', ' ,\n')} }`);
    const { text } = await tasks.show('order');
    t.ok(text.endsWith(`"questions":${questions}}`), text);
  }),
  rule(
    '4.11 rule 1: other questions or another model make a version, an equal body none',
    async (t, service) => {
      const tasks = tasksOf(service, (await service.account('task-versions')).token);
      const versionAfter = async (body: unknown) => (await tasks.put('v', body)).json.version;
      t.equal(await versionAfter(TASK), 1);
      const first = (await tasks.show('v')).text;
      t.equal(await versionAfter(` ${JSON.stringify(TASK, null, 2)}\n`), 1, 'spaces');
      t.equal(await versionAfter({ ...TASK, model: null }), 1);
      t.equal((await tasks.show('v')).text, first);
      t.equal(await versionAfter({ ...TASK, description: 'other', target_error: 0.01 }), 1, 'settings');
      const other = { questions: { ...ASK, more: { type: 'noul' } } };
      t.equal(await versionAfter(other), 2);
      t.equal(await versionAfter({ ...other, model: 'decider-g-12b' }), 3);
      t.equal(await versionAfter(TASK), 4, 'an earlier version is a new one');
      const { json } = await tasks.show('v');
      t.strictSame(
        json.versions.map(({ version, model }: Record<string, unknown>) => [version, model]),
        [
          [1, null],
          [2, null],
          [3, 'decider-g-12b'],
          [4, null],
        ],
      );
      t.strictSame([json.questions, json.description], [ASK, null], 'what is left out is the default again');
    },
  ),
  httpRule('4.11 rule 2: names of 1 to 64 characters that a path can have', async (t, service) => {
    const tasks = tasksOf(service, (await service.account('task-names')).token);
    const longest = 'x'.repeat(LIMITS.customIdCharacters);
    for (const name of ['a', 'A-1_b.c:d', '...', longest]) {
      t.equal((await tasks.put(name, TASK)).json.name, name);
      t.equal((await tasks.show(name)).status, 200);
    }
    for (const name of [`${longest}x`, 'a%2Fb', 'a%20b', 'caf%C3%A9', "a'b", 'a%00']) {
      t.ok(isRefusal(await tasks.put(name, TASK), 'invalid_task'), name);
      t.ok(isRefusal(await tasks.show(name), 'task_not_found'), name);
      t.ok(isRefusal(await tasks.delete(name), 'task_not_found'), name);
    }
    const { raw, token } = service;
    for (const name of ['.', '..']) {
      const answer = await raw(
        `GET /v1/tasks/${name} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
      t.equal(JSON.parse(answer.body).type, 'task_not_found');
    }
  }),
  httpRule('4.11 rule 3: questions and model are checked as those of a request', async (t, service) => {
    const { account, administration } = service;
    const { token, workspace } = await account('task-checks');
    const tasks = tasksOf(service, token);
    for (const [type, body] of [
      ['invalid_json', '{'],
      ['invalid_request', []],
      ['invalid_request', { questions: [] }],
      ['invalid_request', { ...TASK, model: 7 }],
      ['model_not_found', { ...TASK, model: 'unknown' }],
      ['invalid_questions', {}],
      ['invalid_questions', '{"questions":{"a":{"type":"noul"},"a":{"type":"noul"}}}'],
      ['invalid_type', { questions: { q: {} } }],
      ['invalid_question', { questions: { q: 7 } }],
    ] as const) {
      t.ok(isRefusal(await tasks.put('c', body), type), JSON.stringify(body));
    }
    await administration.change(CHANGES.changeWorkspace(workspace, { models: ['decider-g-31b'] }));
    t.ok(isRefusal(await tasks.put('c', TASK), 'model_not_allowed'));
    t.equal((await tasks.put('c', { ...TASK, model: 'decider-g-31b' })).status, 200);
    t.ok(
      isRefusal(
        await tasks.put('c', TASK, { headers: { 'content-type': 'multipart/form-data; boundary=b' } }),
        'unsupported_media_type',
      ),
    );
  }),
  rule('4.11 rule 4: the tasks of the workspace, for each of its keys and no other', async (t, service) => {
    const { account, administration } = service;
    const { token, workspace } = await account('task-owner');
    const tasks = tasksOf(service, token);
    const second = await administration.change(CHANGES.createKey(workspace));
    const same = tasksOf(service, second.token);
    const foreign = tasksOf(service, (await account('task-other')).token);
    await tasks.put('secret', { ...TASK, description: 'first' });
    t.equal((await same.show('secret')).json.description, 'first');
    t.ok(isRefusal(await foreign.show('secret'), 'task_not_found'));
    t.ok(isRefusal(await foreign.delete('secret'), 'task_not_found'));
    t.strictSame((await foreign.list()).json.data, []);
    await foreign.put('secret', { ...TASK, description: 'second' });
    t.equal((await tasks.show('secret')).json.description, 'first');
    t.equal((await foreign.delete('secret')).status, 200);
    t.equal((await same.show('secret')).json.description, 'first');
  }),
  rule('4.11 rule 5: a deleted task is gone, and its name can be used again', async (t, service) => {
    const tasks = tasksOf(service, (await service.account('task-delete')).token);
    await tasks.put('d', TASK);
    await tasks.put('d', { ...TASK, model: 'decider-g-12b' });
    t.strictSame((await tasks.delete('d')).json, { object: 'task', name: 'd', deleted: true });
    t.ok(isRefusal(await tasks.show('d'), 'task_not_found'));
    t.ok(isRefusal(await tasks.delete('d'), 'task_not_found'));
    t.strictSame((await tasks.list()).json.data, []);
    t.equal((await tasks.put('d', TASK)).json.version, 1);
  }),
  httpRule(
    '4.11 rule 6: free, for a paused key too, and not under the path of a model',
    async (t, service) => {
      const { account, get, gateway } = service;
      const { token } = await account('task-free', 0);
      const tasks = tasksOf(service, token);
      const made = await tasks.put('f', TASK);
      t.equal(made.status, 200);
      const left = ({ headers }: Reply) => Number(headers.get('x-ratelimit-remaining-requests'));
      const shown = await tasks.show('f');
      t.equal(left(shown), left(made) - 1, 'it counts as a request');
      t.equal(left(await tasks.list()), left(made) - 2);
      t.equal((await get('/v1/usage', { token })).json.total.requests, 0);
      t.equal((await get('/v1/tasks', { token: null })).status, 401);
      t.equal((await get('/m/decider-g-12b/v1/tasks', { token })).status, 404);
      t.equal((await get(`${gateway}/v1/tasks`, { token })).json.data.length, 1);
      const allowed = await get('/v1/tasks/f', { token, method: 'PATCH' });
      t.strictSame([allowed.status, allowed.headers.get('allow')], [405, 'PUT, GET, HEAD, DELETE']);
    },
  ),
  rule('7.4 invalid_task: fields that no task has', async (t, service) => {
    const tasks = tasksOf(service, (await service.account('task-fields')).token);
    const [targetMin, targetMax] = LIMITS.taskTargetErrors;
    const [confidenceMin, confidenceMax] = LIMITS.taskConfidences;
    const longest = '😀'.repeat(LIMITS.taskDescriptionCodePoints);
    for (const fields of [
      { description: longest },
      { target_error: targetMin },
      { target_error: targetMax },
      { confidence: confidenceMin },
      { confidence: confidenceMax },
      { description: null, target_error: null, confidence: null },
    ]) {
      const { status, json } = await tasks.put('f', { ...TASK, ...fields });
      t.equal(status, 200, JSON.stringify(json));
    }
    const before = (await tasks.show('f')).text;
    for (const fields of [
      { description: `${longest}x` },
      { description: 7 },
      { target_error: targetMin / 2 },
      { target_error: 0.500001 },
      { target_error: '0.1' },
      { confidence: 0.499999 },
      { confidence: 1 },
      { confidence: [] },
    ]) {
      t.ok(isRefusal(await tasks.put('f', { ...TASK, ...fields }), 'invalid_task'), JSON.stringify(fields));
    }
    t.equal((await tasks.show('f')).text, before);
  }),
  httpRule(
    '4.11 rule 7: the questions of the task, answered and charged as by /v1/decide',
    async (t, service) => {
      const { account, get, post } = service;
      const { token } = await account('task-decide');
      const tasks = tasksOf(service, token);
      const questions = { ...ASK, team: { type: 'choice', criteria: { b: null, a: 'second' } } };
      await tasks.put('d', { questions, model: 'decider-g-31b' });
      const headers = { 'service-raw-probabilities': 'true' };
      for (const state of ['x', { a: [1] }]) {
        const own = await tasks.decide('d', { state }, { headers });
        const plain = await post({ state, questions, model: 'decider-g-31b' }, { token, headers });
        t.equal(own.status, 200);
        const { task: _, answers, ...rest } = own.json;
        const { answers: expected, ...others } = plain.json;
        t.strictSame(rest, others);
        t.strictSame(Object.keys(answers), ['q', 'team']);
        for (const [name, { accept, ...answer }] of Object.entries<Record<string, unknown>>(answers)) {
          t.equal(accept, null);
          t.strictSame(answer, expected[name]);
        }
        t.ok(own.headers.get('server-timing'));
      }
      const form = new FormData();
      form.append('request', JSON.stringify({ state: 'x' }));
      const body = new Response(form);
      const type = body.headers.get('content-type') as string;
      const bytes = Buffer.from(await body.arrayBuffer());
      t.equal((await tasks.decide('d', bytes, { headers: { 'content-type': type } })).status, 200);
      const compressed = await tasks.decide('d', gzipSync('{"state":"x"}'), {
        headers: { 'content-encoding': 'gzip' },
      });
      t.equal(compressed.status, 200);
      t.equal((await get('/v1/usage', { token })).json.total.requests, 6);
      const poor = await account('task-poor', 0);
      await tasksOf(service, poor.token).put('d', TASK);
      t.ok(isRefusal(await tasksOf(service, poor.token).decide('d', { state: 'x' }), 'out_of_credit'));
    },
  ),
  rule('4.11 rule 7: questions and model are those of the task', async (t, service) => {
    const { account, gateway, administration } = service;
    const { token, workspace } = await account('task-asked');
    const tasks = tasksOf(service, token);
    await tasks.put('d', TASK);
    t.ok(isRefusal(await tasks.decide('none', { state: 'x' }), 'task_not_found'));
    for (const [type, body] of [
      ['invalid_json', '{'],
      ['missing', {}],
      ['invalid_request', { state: 'x', questions: ASK }],
      ['invalid_request', { state: 'x', model: 'decider-g-12b' }],
      ['invalid_image_budget', { state: 'x', image_budget: 1 }],
      ['invalid_assets', { state: 'x', assets: [] }],
    ] as const) {
      t.ok(isRefusal(await tasks.decide('d', body), type), JSON.stringify(body));
    }
    const sent = { state: 'x', questions: null, model: null, other: 1 };
    t.match((await tasks.decide('d', sent)).json.model, /^decider-g-12b-/);
    const path = `${gateway}/v1/tasks/d/decide`;
    t.match((await tasks.decide('d', sent, { path })).json.model, /^decider-g-31b-/);
    await tasks.put('d', { ...TASK, model: 'decider-g-12b' });
    await administration.change(CHANGES.changeWorkspace(workspace, { models: ['decider-g-31b'] }));
    t.ok(isRefusal(await tasks.decide('d', { state: 'x' }), 'model_not_allowed'));
  }),
  rule('4.11 rule 8: the response of /v1/decide, with accept and task', async (t, service) => {
    const tasks = tasksOf(service, (await service.account('task-response')).token);
    await tasks.put('r', TASK);
    const { text, json } = await tasks.decide('r', { state: 'x' });
    t.strictSame(json.task, { name: 'r', version: 1 });
    t.match(
      text,
      /^\{"model":"[^"]+","answers":\{"q":\{"type":"noul","noul":[\d.]+,"accept":null\}\},"usage":\{[^}]+\},"task":\{"name":"r","version":1\}\}$/,
    );
    await tasks.put('r', { ...TASK, model: 'decider-g-31b' });
    t.strictSame((await tasks.decide('r', { state: 'x' })).json.task, { name: 'r', version: 2 });
  }),
  rule('4.11 rule 9: numbers of an answer are kept, and nothing else', async (t, service) => {
    const { account, post, data, place } = service;
    const { token } = await account('task-kept');
    const tasks = tasksOf(service, token);
    const secret = 'a-text-of-a-task-that-must-not-be-readable';
    await tasks.put('k', { questions: { [secret]: { type: 'noul', instructions: secret } } });
    const kept = async () => (await tasks.show('k')).json.answers;
    for (let at = 0; at < 3; at += 1) await tasks.decide('k', { state: secret });
    await tasks.decide('k', {});
    await post({ state: secret, questions: ASK }, { token });
    await until(async () => (await kept()) === 3);
    if (place === 'database') return;
    const files = readdirSync(data, { recursive: true, encoding: 'utf8' }).map((file) => join(data, file));
    for (const file of files.filter((each) => statSync(each).isFile())) {
      t.notOk(readFileSync(file, 'latin1').includes(secret), file);
    }
  }),
  httpRule('8 limit task body: 256 KiB as sent and decompressed, and no more', async (t, service) => {
    const tasks = tasksOf(service, (await service.account('task-body')).token);
    const bodyOf = (length: number) => {
      const body = JSON.stringify({ questions: { q: { type: 'noul', instructions: '' } } });
      return body.replace('""', `"${'x'.repeat(length - body.length)}"`);
    };
    const headers = { 'content-encoding': 'gzip' };
    const largest = bodyOf(LIMITS.taskBytes);
    t.equal((await tasks.put('b', largest)).status, 200);
    t.equal((await tasks.put('b', gzipSync(largest), { headers })).json.version, 1);
    const larger = bodyOf(LIMITS.taskBytes + 1);
    t.ok(isRefusal(await tasks.put('b', larger), 'body_too_large'));
    t.ok(isRefusal(await tasks.put('b', gzipSync(larger), { headers }), 'body_too_large'));
  }),
];
