import { writeFileSync } from 'node:fs';
import { test } from 'tap';
import { REQUESTS_PER_MINUTE_MAX } from '../../src/access/workspaces.js';
import { systemClock } from '../../src/base/index.js';
import { loadSettings, type Settings } from '../../src/settings/index.js';
import { openStore, reconcile } from '../../src/storage/folder/index.js';
import { changeWorkspace } from '../support/access/folder-changes.js';
import { writeCertificate } from '../support/certificate.js';
import { ChangingModels } from '../support/changing-models.js';
import { TRANSPORTS } from '../support/http/serving.js';
import { scaled } from '../support/scale.js';
import { dataFolder, startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

const REQUESTS = scaled({ short: 60, long: 200 });
const AT_ONCE = 4;
const RELOADS = 5;
const BODY = { model: 'tiny', state: 'x', questions: { q: { type: 'noul' } } };

/** The settings with other prices, in units of the currency per million tokens. */
function priced(settings: Settings, live: number): Settings {
  const { billing } = loadSettings({ DECIDER_BILLING_PRICES: `decider-g-12b=${live}/${live}` }, undefined);
  return { ...settings, billing: { ...settings.billing, prices: billing.prices } };
}

/** The live price of the model, as a caller sees it. */
async function priceAt({ url, headers }: { url: string; headers: Record<string, string> }): Promise<number> {
  const limits = (await (await fetch(`${url}/v1/limits`, { headers })).json()) as {
    models: { prices: { live: number } }[];
  };
  return limits.models[0]?.prices.live as number;
}

for (const transport of TRANSPORTS) {
  test(`${REQUESTS} requests across ${RELOADS} reloads: none fails, and each is charged at one price (${transport})`, async (t) => {
    const data = dataFolder(t);
    const server = await startTestServer(t, { DECIDER_DATA: data, DECIDER_HTTP_TRANSPORT: transport });
    const store = openStore(data);
    t.teardown(() => store.close());
    changeWorkspace(store, systemClock, 'default', { requestsPerMinute: REQUESTS_PER_MINUTE_MAX });
    let asked = 0;
    let reloads = 0;
    const request = async () => {
      const response = await server.decide(BODY);
      if (response.status !== 200) t.fail(`${response.status} ${await response.text()}`);
      else await response.arrayBuffer();
    };
    const reload = async () => {
      reloads += 1;
      const next = priced(server.settings, reloads);
      // One of them is refused.
      if (reloads === 3) await t.rejects(server.reload({ ...next, port: 1 }), { message: /^port: / });
      else t.strictSame(await server.reload(next), ['billing.prices']);
      await request();
    };
    // A second reload at the same time is refused; and each price has a request before the next one comes.
    let reloading = Promise.resolve();
    const client = async () => {
      while (asked < REQUESTS) {
        asked += 1;
        if (asked % Math.floor(REQUESTS / RELOADS) === 0) {
          reloading = reloading.then(reload);
          await reloading;
        } else await request();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    t.equal(reloads, RELOADS);
    await server.stop();
    t.strictSame(reconcile(store).problems, []);
    const rows = [...store.table('usage').entries()];
    t.equal(
      rows.reduce((sum, { value }) => sum + value.requests, 0),
      asked,
    );
    const prices = rows.map(({ key }) => Number(key[5]) / 1_000_000);
    t.ok(prices.includes(1) && prices.includes(2) && !prices.includes(3), prices.join(' '));
  });
}

test('reload: a setting that needs a restart, or a model without a price, changes nothing', async (t) => {
  const server = await startTestServer(t);
  const before = await priceAt(server);
  const next = priced(server.settings, 7);
  const quiet = { ...next, log: { ...server.settings.log, level: 'silent' as const } };
  await t.rejects(server.reload({ ...quiet, port: 1, engine: { ...next.engine, cells: 512 } }), {
    message: 'port, engine.cells: a change needs a restart.',
  });
  await t.rejects(server.reload({ ...quiet, billing: { ...next.billing, prices: new Map() } }), {
    name: 'StartError',
    message: /^billing\.prices has no price class decider-g-12b/,
  });
  t.equal(await priceAt(server), before);
  await until(() => server.lines.some((line) => line.includes('"msg":"request"')));
  const lines = server.lines.length;
  t.strictSame(await server.reload(quiet), ['billing.prices', 'log.level']);
  t.equal(await priceAt(server), 7);
  t.equal(server.lines.length, lines, 'now it is');
  t.strictSame(await server.reload(quiet), []);
});

test('reload: the context window that is shown is that of the manifest, also after a larger one', async (t) => {
  const models = new ChangingModels(t.testdir());
  const build = { date: '20260101', ...models.model(1) };
  models.serve([build], { context_length: 200 });
  const server = await startTestServer(t, {}, models.path);
  const shown = async () => {
    const response = await fetch(`${server.url}/v1/models`);
    const { models: list } = (await response.json()) as { models: { context_tokens: number }[] };
    return list[0]?.context_tokens;
  };
  t.equal(await shown(), 200);
  for (const length of [400, 100]) {
    models.serve([build], { context_length: length });
    await server.reload(server.settings);
    t.equal(await shown(), length);
  }
});

test('reload: a certificate that cannot be used changes nothing', async (t) => {
  const folder = t.testdir({});
  const { cert, key } = writeCertificate(folder);
  const server = await startTestServer(t, { DECIDER_TLS_CERT: cert, DECIDER_TLS_KEY: key });
  const next = { ...server.settings, log: { ...server.settings.log, level: 'silent' as const } };
  writeFileSync(key, 'no key');
  await t.rejects(server.reload(next), { name: 'TlsError' });
  writeCertificate(folder);
  t.strictSame(await server.reload(next), ['log.level', 'tls']);
});

test('reload: a new bound of stored batches applies to the next submission', async (t) => {
  const server = await startTestServer(t);
  const submit = async () => {
    const line = JSON.stringify({ custom_id: 'a', ...BODY });
    const { headers } = server;
    return (await fetch(`${server.url}/v1/batches`, { method: 'POST', headers, body: line })).status;
  };
  const bounded = (bytes: number) => ({
    ...server.settings,
    batch: { ...server.settings.batch, max_stored_bytes: bytes },
  });
  t.strictSame(await server.reload(bounded(1)), ['batch.max_stored_bytes']);
  t.equal(await submit(), 503);
  await server.reload(bounded(1_000_000));
  t.equal(await submit(), 200);
});

test('reload: another bound of the queue and another time limit count for the next request', async (t) => {
  const server = await startTestServer(t);
  const limited = (limits: { queue: number; deadline_ms: number }) => ({
    ...server.settings,
    engine: { ...server.settings.engine, ...limits },
  });
  t.strictSame(await server.reload(limited({ queue: 1, deadline_ms: 50_000 })), [
    'engine.deadline_ms',
    'engine.queue',
  ]);
  // One is computed and one waits.
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => server.ask({ ...BODY, state: 'word '.repeat(3_900) })),
  );
  t.ok(answers.some(({ error }) => /queue is full/.test(error)));
  t.ok(answers.some(({ model }) => model === 'tiny-20260101'));
  await server.reload(limited({ queue: 100, deadline_ms: 1 }));
  // A state that was not computed before.
  t.match(await server.ask({ ...BODY, state: 'other '.repeat(3_900) }), { error: /not answered in time/ });
  await server.reload(limited({ queue: 100, deadline_ms: 60_000 }));
  t.match(await server.ask(BODY), { model: 'tiny-20260101' });
});
