// Shadow builds in the whole server: what restarts, reloads and changes of the task do to them.
import { type Test, test } from 'tap';
import type { Engine, RunOptions } from '../../src/engine/index.js';
import { ChangingModels, modelEntry } from '../support/changing-models.js';
import { EngineGate } from '../support/engine-gate.js';
import { operatorFetch, operatorSettings } from '../support/operator.js';
import { dataFolder, startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

const TASK = { questions: { q: { type: 'noul', instructions: 'Is it?' } } };
const SHADOW = { model: 'other', share: 1 };
type TestServer = Awaited<ReturnType<typeof startTestServer>>;

/** A models folder with the models `tiny` and `other`, whose builds are those of these dates. */
function modelsOf(t: Test) {
  const models = new ChangingModels(t.testdir());
  const [one, two] = [models.model(1), models.model(2)];
  const serve = (tiny: string, other: string | null) =>
    models.write({
      default: 'tiny',
      models: [
        modelEntry('tiny', [{ date: tiny, ...one }]),
        ...(other === null ? [] : [modelEntry('other', [{ date: other, ...two }])]),
      ],
    });
  serve('20260101', '20260101');
  return { path: models.path, serve };
}

function callsOf({ url, headers }: TestServer) {
  const call = async (method: string, path: string, body?: unknown) => {
    const text = body === undefined ? null : JSON.stringify(body);
    const response = await fetch(`${url}/v1/tasks/a${path}`, { method, headers, body: text });
    // biome-ignore lint/suspicious/noExplicitAny: what comes back is what the test is about
    return (await response.json()) as any;
  };
  return {
    put: (shadow: object | null = SHADOW) => call('PUT', '', { ...TASK, shadow }),
    show: () => call('GET', ''),
    remove: () => call('DELETE', ''),
    promote: (expected: object = {}) => call('POST', '/promote', expected),
    decide: (state: string) => call('POST', '/decide', { state }),
    answers: async () => (await call('GET', '')).shadow.questions.q.answers as number,
  };
}

/** Holds back all plans of a build at the urgency of batches, as an engine that does not answer. */
function silence({ engines }: TestServer, build: string) {
  const get = engines.get.bind(engines);
  let held = 0;
  const run = (_: unknown, { signal }: RunOptions) =>
    new Promise<never>((_resolve, reject) => {
      held += 1;
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  engines.get = (id, set) => {
    const engine = get(id, set);
    return engine === undefined || id !== build
      ? engine
      : (Object.create(engine, { run: { value: run } }) as Engine);
  };
  return {
    held: () => until(() => held > 0),
    open: () => {
      engines.get = get;
    },
  };
}

const events = async (server: TestServer) => {
  const text = await (await operatorFetch(server.operatorUrl as string, '/metrics')).text();
  const found = [...text.matchAll(/decider_task_shadows_total\{event="(\w+)"\} (\d+)/g)];
  return Object.fromEntries(found.map(([, event, count]) => [event, Number(count)]));
};

test('a shadow build that never answers delays no response, and no stop', async (t) => {
  const { path } = modelsOf(t);
  const server = await startTestServer(t, await operatorSettings(), path);
  const { put, decide, answers } = callsOf(server);
  await put();
  const { held } = silence(server, 'other-20260101');
  for (let at = 0; at < 40; at += 1) t.match(await decide(`state ${at}`), { model: 'tiny-20260101' });
  await held();
  t.equal(await answers(), 0);
  const { started, dropped } = await events(server);
  t.equal(started, 1);
  t.ok((dropped as number) > 0, 'no more wait than the bound says');
  await server.stop();
});

test('counts go on after a restart', async (t) => {
  const { path } = modelsOf(t);
  const environment = { DECIDER_DATA: dataFolder(t) };
  const first = await startTestServer(t, environment, path);
  const { headers } = first;
  const before = callsOf(first);
  await before.put();
  for (const [at, state] of ['a', 'b'].entries()) {
    await before.decide(state);
    await until(async () => (await before.answers()) === at + 1);
  }
  const { since } = (await before.show()).shadow;
  await first.stop();
  const second = await startTestServer(t, environment, path);
  const after = callsOf({ ...second, headers });
  t.equal(await after.answers(), 2);
  await after.decide('c');
  await until(async () => (await after.answers()) === 3);
  t.equal((await after.show()).shadow.since, since);
});

test('a reload drops shadows, frees their models, and begins anew with another build', async (t) => {
  const { path, serve } = modelsOf(t);
  const server = await startTestServer(t, await operatorSettings(), path);
  const { put, decide, answers, show, promote } = callsOf(server);
  await put();
  await decide('a');
  await until(async () => (await answers()) === 1);
  const { held, open } = silence(server, 'other-20260101');
  await decide('b');
  await held();
  serve('20260101', '20260102');
  await server.reload(server.settings);
  await until(() => server.engines.draining.length === 0);
  open();
  t.match((await show()).shadow, {
    builds: { live: 'tiny-20260101', shadow: 'other-20260102' },
    since: null,
    questions: { q: { answers: 0 } },
  });
  t.match(await promote(), { type: 'shadow_changed' });
  await decide('c');
  await until(async () => (await answers()) === 1);
  t.match(await events(server), { started: 3, counted: 2, dropped: 1, failed: 0 });
  serve('20260101', null);
  await server.reload(server.settings);
  await decide('d');
  t.match((await show()).shadow, { builds: { shadow: null }, questions: { q: { answers: 0 } } });
  t.match(await promote(), { type: 'model_not_found' });
  // A program that puts the task at each start goes on.
  const before = await show();
  t.strictSame(await put(), before);
  t.match(await put({ ...SHADOW, share: 0.5 }), { version: 1, shadow: { share: 0.5 } });
  t.match(await put({ ...SHADOW, model: 'another' }), {
    type: 'model_not_found',
    error: /`shadow`\. Name one of GET \/v1\/models, or leave `shadow` out\.$/,
  });
  t.match(await put(null), { shadow: null });
  t.match(await put(), { type: 'model_not_found' });
  await until(async () => (await events(server)).dropped === 2);
});

test('a promotion is answered again after a reload that removes its build', async (t) => {
  const { path, serve } = modelsOf(t);
  const server = await startTestServer(t, await operatorSettings(), path);
  const { put, decide, answers, promote } = callsOf(server);
  await put();
  await decide('a');
  await until(async () => (await answers()) === 1);
  const expected = { version: 1, model: 'other-20260101' };
  const promoted = { version: 2, model: 'other-20260101', shadow: null };
  t.match(await promote(expected), promoted);
  serve('20260101', null);
  await server.reload(server.settings);
  t.match(await promote(expected), promoted);
  t.match(await promote(), { type: 'no_shadow' });
});

test('a task that is deleted, changed or promoted while its shadow runs', async (t) => {
  const { path } = modelsOf(t);
  const server = await startTestServer(t, await operatorSettings(), path);
  const { put, decide, answers, show, promote, remove } = callsOf(server);
  const gate = new EngineGate(server.engines);
  const answeredAfter = async (change: () => Promise<unknown>) => {
    const { dropped = 0, counted = 0 } = await events(server);
    gate.hold();
    await decide('a');
    await gate.held();
    await change();
    gate.open();
    await until(async () => {
      const now = await events(server);
      return (now.dropped ?? 0) > dropped || (now.counted ?? 0) > counted;
    });
    return events(server);
  };
  await put();
  t.match(await answeredAfter(remove), { counted: 0, dropped: 1 });
  await put();
  t.match(await answeredAfter(() => put(null)), { counted: 0, dropped: 2 });
  await put();
  const setAgain = async () => {
    await put(null);
    await put();
  };
  t.match(await answeredAfter(setAgain), { counted: 0, dropped: 3 });
  t.equal(await answers(), 0);
  await decide('a');
  await until(async () => (await answers()) === 1);
  const promoted = await answeredAfter(promote);
  t.match(promoted, { counted: 1, dropped: 4, failed: 0 });
  t.match(await show(), { version: 2, model: 'other-20260101', shadow: null });
  t.match(await decide('b'), { model: 'other-20260101', task: { version: 2 } });
  t.strictSame(
    server.lines.filter((line) => /"level":"?(error|50)/.test(line)),
    [],
  );
});
