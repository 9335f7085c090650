import { join } from 'node:path';
import { type Test, test } from 'tap';
import { nodeTransport } from '../../src/http/transport/node-transport.js';
import { freePort } from '../support/free-port.js';
import { TRANSPORTS } from '../support/http/serving.js';
import { modelsFolder, startTestServer } from '../support/server.js';

const BODY = { state: 'x', questions: { q: { type: 'noul', instructions: 'Is it?' } } };

/** A server whose one build answers for a second id, so that requests choose between two names. */
const startTwo = (t: Test, environment: Record<string, string>) =>
  startTestServer(t, environment, modelsFolder(t.testdir(), {}, { answers_for: ['larger'] }));

for (const transport of TRANSPORTS) {
  const environment = { DECIDER_HTTP_TRANSPORT: transport };

  test(`contract 2.1: an endpoint that serves one model ignores \`model\` (${transport})`, async (t) => {
    const { ask, decide } = await startTestServer(t, environment);
    t.equal((await ask({ ...BODY, model: 'jev-latest' })).model, 'tiny-20260101');
    t.equal((await decide({ ...BODY, model: 7 })).status, 200, 'whatever its type');
  });

  test(`contract 4.8: on a path of a model, that model answers (${transport})`, async (t) => {
    const { url, ask, decide, headers } = await startTwo(t, environment);
    for (const path of ['/m/tiny/v1/decide', '/m/larger/v1/decide', '/m/tiny-20260101/v1/systemone']) {
      t.equal((await ask({ ...BODY, model: 'unknown' }, path)).model, 'tiny-20260101', path);
    }
    const ids = async (path: string) =>
      ((await (await fetch(url + path)).json()) as { data: { id: string }[] }).data.map(({ id }) => id);
    t.strictSame(await ids('/v1/models'), ['tiny', 'larger']);
    t.strictSame(await ids('/m/larger/v1/models'), ['larger']);
    t.strictSame(await ids('/m/tiny-20260101/v1/models'), ['tiny']);
    t.equal((await fetch(`${url}/m/tiny/health`)).status, 200);
    for (const path of ['/m/unknown/v1/decide', '/m/unknown/health']) {
      const response = await fetch(url + path, { method: path.endsWith('health') ? 'GET' : 'POST', headers });
      t.equal(response.status, 404);
      t.match(await response.json(), { type: 'model_not_found' });
    }
    for (const path of [
      '/m/tiny',
      '/m/tiny/',
      '/m//v1/decide',
      '/m/tiny/v1/batches',
      '/m/tiny/m/tiny/health',
    ]) {
      const response = await fetch(url + path, { method: 'POST', headers, body: '{}' });
      t.equal(response.status, 404, path);
      t.match(await response.json(), { type: 'not_found' });
    }
    const unknown = await decide({ ...BODY, model: 'unknown' });
    t.equal(unknown.status, 404, 'several ids: the body names one');
    t.match(await unknown.json(), { type: 'model_not_found' });
    const wrong = await fetch(`${url}/m/tiny/v1/decide`);
    t.equal(wrong.status, 405);
    t.equal(wrong.headers.get('allow'), 'POST');
  });

  test(`a gateway endpoint serves its model, whatever a request names (${transport})`, async (t) => {
    const port = await freePort();
    const gateway = { DECIDER_GATEWAY_PORT: String(port), DECIDER_GATEWAY_MODEL: 'larger' };
    const { urls, headers } = await startTwo(t, { ...environment, ...gateway });
    t.equal(urls.length, 2);
    t.equal(urls[1], `http://127.0.0.1:${port}`);
    const response = await fetch(`${urls[1]}/v1/decide`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...BODY, model: 'unknown' }),
    });
    t.equal(response.status, 200);
    t.match(await response.json(), { model: 'tiny-20260101' });
    const decisions = await fetch(`${urls[1]}/v1/decisions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'unknown', input: 'x', questions: [{ type: 'predicate' }] }),
    });
    t.match(await decisions.json(), { model: 'tiny-20260101', answers: [{ type: 'predicate' }] });
    const { data } = (await (await fetch(`${urls[1]}/v1/models`)).json()) as { data: { id: string }[] };
    t.strictSame(
      data.map(({ id }) => id),
      ['larger'],
    );
  });
}

test('a gateway without a model of the manifest does not start', async (t) => {
  const gateway = { DECIDER_GATEWAY_PORT: String(await freePort()), DECIDER_GATEWAY_MODEL: 'unknown' };
  await t.rejects(startTwo(t, gateway), { name: 'StartError', message: /gateway\.model/ });
});

test('a start with auto logs which transport it uses and why, in one line, and asks for it once', async (t) => {
  const asked: string[] = [];
  const { lines, transport } = await startTestServer(
    t,
    {
      DECIDER_HTTP_TRANSPORT: 'auto',
      DECIDER_GATEWAY_PORT: String(await freePort()),
      DECIDER_GATEWAY_MODEL: 'tiny',
    },
    undefined,
    {
      chooseTransport: async (choice) => {
        asked.push(choice);
        return { transport: nodeTransport, reason: 'node is used, because a test says so' };
      },
    },
  );
  t.equal(transport, 'node');
  t.strictSame(asked, ['auto'], 'both endpoints use one transport');
  const chosen = lines.map((line) => JSON.parse(line)).filter((line) => 'transport' in line);
  t.match(chosen, [{ level: 'info', transport: 'node', msg: 'node is used, because a test says so' }]);
  t.equal(chosen.length, 1);
});

test('a start that fails ends the choice of a transport', async (t) => {
  let ended = false;
  const waits = (_: string, stop: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      stop.addEventListener('abort', () => {
        ended = true;
        reject(stop.reason);
      });
    });
  const none = join(t.testdir({}), 'none');
  await t.rejects(startTestServer(t, {}, none, { chooseTransport: waits }), { name: 'ModelError' });
  t.ok(ended);
});
