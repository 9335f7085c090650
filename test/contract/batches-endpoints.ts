import { openStore, reconcile } from '../../src/storage/folder/index.js';
import { line, lines, outcomes, type ResultLine } from '../support/contract/batch-calls.js';
import { type ContractTest, httpRule, rule } from '../support/contract/suite.js';
import { EngineGate } from '../support/engine-gate.js';
import { firstKey } from '../support/first-key.js';
import { dataFolder, startTestServer, testDependencies } from '../support/server.js';
import { until } from '../support/until.js';

const path = '/v1/batches';
const id = `batch_${'a'.repeat(24)}`;

/** Every batch path with one of its methods. */
const PATHS = [
  ['POST', path],
  ['GET', path],
  ['GET', `${path}/${id}`],
  ['GET', `${path}/${id}/results`],
  ['POST', `${path}/${id}/cancel`],
] as const;

/** Sends a request to every batch path of a server. */
const everywhere = (url: string, headers: Record<string, string>) =>
  Promise.all(
    PATHS.map(async ([method, target]) => {
      const reply = await fetch(url + target, {
        method,
        headers,
        ...(target === path && method === 'POST' ? { body: line('a') } : {}),
      });
      const { type } = (await reply.json()) as { type: string };
      return { status: reply.status, type, retryAfter: reply.headers.get('retry-after') };
    }),
  );

/** Contract 4.6 `where`, and restarts. */
export const BATCHES_ENDPOINTS: readonly ContractTest[] = [
  httpRule('4.6 where: not at the gateway', async (t, { gateway, token }) => {
    for (const reply of await everywhere(gateway, { authorization: `Bearer ${token}` })) {
      t.match(reply, { status: 503, type: 'batch_unavailable', retryAfter: /^[1-9]\d*$/ });
    }
    for (const { status, type } of await everywhere(gateway, {})) {
      t.strictSame([status, type], [401, 'unauthorized'], 'a token comes first');
    }
  }),
  httpRule('4.6 where: not under the path of a model', async (t, { get, token }) => {
    for (const model of ['decider-g-12b', 'decider-g-31b']) {
      for (const [method, target] of PATHS) {
        const { status, json } = await get(`/m/${model}${target}`, { method, token });
        t.strictSame([status, json.type], [404, 'not_found'], `${method} ${target}`);
      }
    }
  }),
  rule('7.1 batch_unavailable: batches are switched off', async (t, { transport }) => {
    const { url, headers, ask } = await startTestServer(t, {
      DECIDER_HTTP_TRANSPORT: transport,
      DECIDER_BATCH_ENABLED: 'false',
    });
    for (const reply of await everywhere(url, headers)) {
      t.match(reply, { status: 503, type: 'batch_unavailable', retryAfter: /^[1-9]\d*$/ });
    }
    t.match(await ask({ state: 'x', questions: { q: { type: 'noul' } } }), { model: 'tiny-20260101' });
  }),
  rule('7.4 model_unavailable: while the models load', async (t, { transport }) => {
    const { dependencies } = testDependencies();
    const data = dataFolder(t);
    const token = await firstKey(data);
    let asked = false;
    const report = {
      ...dependencies.report,
      async listening(url: string) {
        for (const reply of await everywhere(url, { authorization: `Bearer ${token}` })) {
          t.match(reply, { status: 503, type: 'model_unavailable', retryAfter: /^[1-9]\d*$/ });
        }
        asked = true;
      },
    };
    await startTestServer(t, { DECIDER_HTTP_TRANSPORT: transport, DECIDER_DATA: data }, undefined, {
      report,
    });
    t.ok(asked);
  }),
  rule('3 restart: open batches continue; nothing is answered or billed twice', async (t, { transport }) => {
    const environment = { DECIDER_HTTP_TRANSPORT: transport, DECIDER_DATA: dataFolder(t) };
    const first = await startTestServer(t, environment);
    const gate = new EngineGate(first.engines);
    gate.hold();
    const ask = async (url: string, target: string, body?: string) => {
      const reply = await fetch(url + path + target, {
        headers: first.headers,
        ...(body === undefined ? {} : { method: 'POST', body }),
      });
      return reply.text();
    };
    const file = lines(20, { model: 'tiny' }).join('\n');
    const [running, queued] = [
      JSON.parse(await ask(first.url, '', file)).id,
      JSON.parse(await ask(first.url, '', file)).id,
    ];
    await until(async () => {
      gate.release();
      return JSON.parse(await ask(first.url, `/${running}`)).counts.done >= 5;
    });
    await gate.held();
    await first.stop();
    const { url } = await startTestServer(t, environment);
    for (const each of [running, queued]) {
      await until(async () => JSON.parse(await ask(url, `/${each}`)).status === 'done');
      const results: ResultLine[] = (await ask(url, `/${each}/results`))
        .split('\n')
        .slice(0, -1)
        .map((text) => JSON.parse(text));
      t.equal(results.length, 20);
      t.strictSame(new Set(outcomes(results)), new Set(['answered']));
    }
    const store = openStore(environment.DECIDER_DATA);
    t.teardown(() => store.close());
    const billed = () =>
      [...store.table('usage').entries()].reduce((sum, { value }) => sum + value.requests, 0);
    await until(() => billed() >= 40);
    t.equal(billed(), 40);
    t.strictSame(reconcile(store).problems, []);
  }),
];
