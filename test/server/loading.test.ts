import { once } from 'node:events';
import { truncateSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { startServer } from '../../src/server/index.js';
import type { ServerDependencies } from '../../src/server/server-dependencies.js';
import { loadSettings } from '../../src/settings/index.js';
import { checkOnce } from '../support/check-once.js';
import { firstKey } from '../support/first-key.js';
import { freePort } from '../support/free-port.js';
import { TRANSPORTS } from '../support/http/serving.js';
import { dataFolder, modelsFolder, startTestServer, testDependencies } from '../support/server.js';

const BODY = JSON.stringify({ state: 'x', questions: { q: { type: 'noul', instructions: 'Is it?' } } });
const decide = (url: string, token: string) =>
  fetch(`${url}/v1/decide`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: BODY,
  });

/** Starts a server; `whileLoading` runs when it listens, and its models load only when that has ended. */
async function start(
  t: Test,
  models: string,
  transport: string,
  whileLoading: (url: string, token: string) => Promise<void>,
  stop: AbortSignal = new AbortController().signal,
  own: Partial<ServerDependencies> = {},
) {
  const data = dataFolder(t);
  const token = await firstKey(data);
  const environment = {
    // Not one that another process may get as soon as this server is gone.
    DECIDER_PORT: String(await freePort()),
    DECIDER_MODELS: models,
    DECIDER_DATA: data,
    DECIDER_ENGINE_BACKEND: 'cpu',
    DECIDER_ENGINE_THREADS: '1',
    DECIDER_HTTP_TRANSPORT: transport,
  };
  const { dependencies } = testDependencies();
  const listening = (url: string) => whileLoading(url, token);
  const report = { ...dependencies.report, listening };
  const server = await startServer(loadSettings(environment, undefined), {
    ...dependencies,
    report,
    stop,
    ...own,
  });
  return { ...server, token };
}

async function isUnavailable(t: Test, response: Response) {
  t.equal(response.status, 503);
  t.match(response.headers.get('retry-after'), /^[1-9]\d*$/);
  t.match(await response.json(), { type: 'model_unavailable' });
}

/** A connection of its own: `fetch` would try one it has kept. */
async function isGone(t: Test, url: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await t.rejects(once(socket, 'connect'), { code: 'ECONNREFUSED' });
}

test('a model is refused if a lane answers the question of the check otherwise than the check', async (t) => {
  const checkModel: typeof checkOnce = async (...asked) => {
    const facts = await checkOnce(...asked);
    // As a lane sees it whose device computes something else.
    return { ...facts, logits: facts.logits.map((_, option) => (option === 0 ? 50 : 0)) };
  };
  const starting = start(t, modelsFolder(t.testdir()), 'node', async () => {}, undefined, { checkModel });
  await t.rejects(starting, {
    name: 'ModelError',
    message:
      /tiny\.gguf: its first waves failed: the device gives .* and the CPU 1\.00, 0\.00, 0\.00; .*decider tune/,
  });
});

test('the log says if a model has letters as its only labels because its template took too long', async (t) => {
  const reason = 'its decision template does not render: it takes more than 2000 ms';
  const startWith = (isSlow: { isSlow?: true }) => {
    const checkModel: typeof checkOnce = async (...asked) => {
      const facts = await checkOnce(...asked);
      const list = facts.verified.labels.list.slice(0, 26);
      const labels = { list, lettersOnly: reason, ...isSlow };
      return { ...facts, verified: { ...facts.verified, labels } };
    };
    return startTestServer(t, {}, undefined, { checkModel });
  };
  const warnings = ({ lines }: { lines: readonly string[] }) =>
    lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes('at most 26'));
  t.match(warnings(await startWith({ isSlow: true })), [{ level: 'warn', model: 'tiny-20260101', reason }]);
  t.strictSame(warnings(await startWith({})), []);
});

for (const transport of TRANSPORTS) {
  test(`503 model_unavailable until the models are loaded (${transport})`, async (t) => {
    const server = await start(t, modelsFolder(t.testdir()), transport, async (url, token) => {
      await isUnavailable(t, await decide(url, token));
      await isUnavailable(t, await fetch(`${url}/health`));
      t.match(await (await fetch(`${url}/v1/models`)).json(), { data: [{ id: 'tiny' }] });
      t.equal((await fetch(`${url}/nothing`)).status, 404);
    });
    t.teardown(() => server.stop());
    t.equal((await decide(server.url, server.token)).status, 200);
    const health = await fetch(`${server.url}/health`);
    t.equal(health.status, 200);
    t.strictSame(await health.json(), { status: 'ok' });
  });

  test(`a model that does not load ends the start, and nothing listens any more (${transport})`, async (t) => {
    const models = modelsFolder(t.testdir());
    truncateSync(join(models, 'tiny.gguf'), 1_000);
    let url = '';
    const starting = start(t, models, transport, async (listening, token) => {
      url = listening;
      await isUnavailable(t, await decide(url, token));
    });
    await t.rejects(starting, { name: 'ModelError', message: /SHA-256/ });
    await isGone(t, url);
  });

  test(`a stop while the models load ends the start, and nothing listens any more (${transport})`, async (t) => {
    const stop = new AbortController();
    let url = '';
    const whileLoading = async (listening: string, token: string) => {
      url = listening;
      stop.abort();
      await isUnavailable(t, await decide(url, token));
    };
    const starting = start(t, modelsFolder(t.testdir()), transport, whileLoading, stop.signal);
    await t.rejects(starting, { name: 'AbortError' });
    await isGone(t, url);
  });
}
