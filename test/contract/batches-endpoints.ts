import { gzipSync } from 'node:zlib';
import { openStore, reconcile } from '../../src/storage/folder/index.js';
import {
  hold,
  line,
  lines,
  newKey,
  outcomes,
  type ResultLine,
  tokensOfLine,
} from '../support/contract/batch-calls.js';
import { PRICES, type Reply } from '../support/contract/service.js';
import { type ContractTest, httpRule, rule } from '../support/contract/suite.js';
import { EngineGate } from '../support/engine-gate.js';
import { dataFolder, startTestServer, testDependencies } from '../support/server.js';
import { until } from '../support/until.js';
import { storedFrame } from '../support/zstd.js';

const DAY_MS = 24 * 3_600_000;
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

const once = (key: string) => ({ 'idempotency-key': key });
const conflict = ({ status, json, headers }: Reply) => [status, json.type, headers.get('x-should-retry')];

/** Contract 4.6 `where`, restarts, and the `Idempotency-Key` of contract 4.6 rule 8. */
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
    const { told, dependencies } = testDependencies();
    let asked = false;
    const report = {
      ...dependencies.report,
      async listening(url: string) {
        for (const reply of await everywhere(url, { authorization: `Bearer ${told.token}` })) {
          t.match(reply, { status: 503, type: 'model_unavailable', retryAfter: /^[1-9]\d*$/ });
        }
        asked = true;
      },
    };
    await startTestServer(t, { DECIDER_HTTP_TRANSPORT: transport }, undefined, { report });
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
    await until(() => [...store.table('usage').entries()].every(({ value }) => value.requests === 40));
    t.strictSame(reconcile(store).problems, []);
  }),
  rule('4.6 rule 8: the same key and file make one batch within a day', async (t, service) => {
    const { batches } = await newKey(service, 'once');
    const first = await batches.submit(lines(2), once('a'));
    t.equal(first.status, 200);
    const again = await batches.submit(lines(2), once('a'));
    t.strictSame([again.status, again.json.id], [200, first.json.id]);
    await batches.finished(first.json.id);
    const late = await batches.submit(lines(2), once('a'));
    t.equal(late.json.id, first.json.id, 'also when it has finished');
    t.strictSame(conflict(await batches.submit(lines(3), once('a'))), [409, 'idempotency_conflict', 'false']);
    const other = await batches.made(lines(2), once('b'));
    t.not(other, first.json.id, 'another key, another batch');
    const stranger = (await newKey(service, 'once-other')).batches;
    t.not(await stranger.made(lines(2), once('a')), first.json.id, 'of each API key its own');
    t.equal((await batches.list()).json.data.length, 2);
    service.clock.advance(DAY_MS);
    t.not(await batches.made(lines(3), once('a')), first.json.id);
  }),
  rule('4.6 rule 8: files are compared decompressed', async (t, service) => {
    const { batches } = await newKey(service, 'once-compressed');
    const file = Buffer.from(`${lines(2).join('\n')}\n`);
    const gzip = { ...once('a'), 'content-encoding': 'gzip' };
    const made = await batches.made(gzipSync(file, { level: 9 }), gzip);
    t.equal(await batches.made(gzipSync(file, { level: 1 }), gzip), made);
    t.equal(await batches.made(storedFrame(file), { ...once('a'), 'content-encoding': 'zstd' }), made);
    t.equal(await batches.made(file, once('a')), made);
    t.equal((await batches.submit(gzipSync(lines(3).join('\n')), gzip)).json.type, 'idempotency_conflict');
    const broken = await batches.submit(file, gzip);
    t.strictSame([broken.status, broken.json.type], [400, 'bad_encoding']);
    t.equal((await batches.list()).json.data.length, 1);
  }),
  rule('4.6 rule 8: ten concurrent submissions make one batch', async (t, service) => {
    const { batches, workspace } = await newKey(service, 'once-ten');
    const replies = await Promise.all(Array.from({ length: 10 }, () => batches.submit(lines(3), once('a'))));
    t.strictSame(new Set(replies.map(({ status }) => status)), new Set([200]));
    t.equal(new Set(replies.map(({ json }) => json.id)).size, 1);
    t.equal((await batches.list()).json.data.length, 1);
    await batches.finished(replies[0]?.json.id);
    const cost = 3n * BigInt(await tokensOfLine(service)) * (PRICES['decider-g-12b'] / 2n);
    await until(
      async () =>
        (await service.administration.reconcile()).books.find((each) => each.workspace === workspace)
          ?.charged === cost,
    );
  }),
  rule('4.6 rule 8: a refused submission does not take the value', async (t, service) => {
    const { batches } = await newKey(service, 'once-refused');
    t.equal((await batches.submit(['{'], once('a'))).status, 422);
    hold(t, service);
    for (let count = 0; count < 9; count += 1) await batches.made(lines(4));
    const made = await batches.made(lines(1), once('a'));
    t.equal((await batches.submit(lines(1), once('b'))).status, 429);
    t.equal((await batches.submit(lines(1), once('a'))).json.id, made, 'one that is known is no eleventh');
    for (const key of ['', 'a'.repeat(256)]) {
      const { status, json } = await batches.submit(lines(1), once(key));
      t.strictSame([status, json.type], [400, 'invalid_request']);
    }
    for (const { id: each } of (await batches.list()).json.data) await batches.cancel(each);
    t.equal((await batches.submit(lines(1), once('a'.repeat(255)))).status, 200);
  }),
];
