import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { freePort } from '../support/free-port.js';
import { dataFolder, modelsFolder, startTestServer } from '../support/server.js';

const QUESTIONS = { q: { type: 'noul', instructions: 'Is it?' } };
const BODY = { state: 'x', questions: QUESTIONS };
const DECISIONS = {
  input: 'x',
  questions: [{ type: 'predicate', name: 'q', instructions: 'Is it?' }],
};
const [OLD, NEW] = ['tiny-20260101', 'tiny-20260201'] as const;

/** A folder with one model of two builds. */
function twoBuilds(folder: string): string {
  const models = modelsFolder(folder);
  const file = join(models, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const [build] = manifest.models[0].builds;
  manifest.models[0].builds.push({ ...build, date: '20260201' });
  writeFileSync(file, JSON.stringify(manifest));
  return models;
}

/** What a request names, and the build that answers where the model is pinned. */
const NAMED: ReadonlyArray<readonly [name: unknown, build: string]> = [
  [undefined, NEW],
  [null, NEW],
  ['tiny', NEW],
  ['unknown', NEW],
  ['tiny-20250101', NEW],
  [7, NEW],
  [[OLD], NEW],
  [OLD, OLD],
  [NEW, NEW],
];

test('where one model is served, a request chooses among its builds', async (t) => {
  const port = await freePort();
  const server = await startTestServer(
    t,
    { DECIDER_GATEWAY_PORT: String(port), DECIDER_GATEWAY_MODEL: OLD },
    twoBuilds(dataFolder(t)),
  );
  for (const [model, build] of NAMED) {
    for (const path of ['/v1/decide', '/v1/systemone', '/m/tiny/v1/decide'])
      t.equal((await server.ask({ ...BODY, model }, path)).model, build, `${path} ${JSON.stringify(model)}`);
    t.equal((await server.ask({ ...DECISIONS, model }, '/v1/decisions')).model, build, JSON.stringify(model));
  }
  const [, gateway] = server.urls as [string, string];
  for (const [model] of NAMED) {
    const init = { method: 'POST', headers: server.headers, body: JSON.stringify({ ...BODY, model }) };
    for (const url of [`${gateway}/v1/decide`, `${server.url}/m/${OLD}/v1/decide`]) {
      const { model: build } = (await (await fetch(url, init)).json()) as { model: string };
      t.equal(build, OLD, `${url} ${JSON.stringify(model)}: a build is pinned`);
    }
  }
  const limits = async (url: string) =>
    (await (await fetch(`${url}/v1/limits`, { headers: server.headers })).json()) as {
      models: { id: string; default: boolean }[];
    };
  t.match((await limits(gateway)).models, [{ id: 'tiny', default: true }]);
});

test('where one model is served, a task is answered by the build that it names', async (t) => {
  const server = await startTestServer(t, {}, twoBuilds(dataFolder(t)));
  for (const [model, build] of [
    [OLD, OLD],
    ['tiny', NEW],
    [NEW, NEW],
  ] as const) {
    await fetch(`${server.url}/v1/tasks/a`, {
      method: 'PUT',
      headers: server.headers,
      body: JSON.stringify({ questions: QUESTIONS, model }),
    });
    t.equal((await server.ask({ state: 'x' }, '/v1/tasks/a/decide')).model, build, model);
  }
});
