import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { CHANGES } from '../../src/access/index.js';
import { hold, line, lines, newKey, TOO_LONG } from '../support/contract/batch-calls.js';
import { BUILDS, PRICES, type Reply } from '../support/contract/service.js';
import { ASK, type ContractTest, httpRule, rule } from '../support/contract/suite.js';
import { until } from '../support/until.js';
import { zstdFrame } from '../support/zstd.js';

const DAY_MS = 24 * 3_600_000;
const MEBIBYTE = 1024 * 1024;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;
const OBJECT = [
  'id',
  'object',
  'status',
  'lines',
  'counts',
  'models',
  'created_at',
  'started_at',
  'finished_at',
  'expires_at',
  'reason',
  'results_available',
  'webhook',
  'webhook_delivery',
  'estimated_cost',
  'data_region',
  'delete_after',
];

const counts = (done: number, failed: number, pending: number) => ({ done, failed, pending });

/** Contract 2.6, and which keys may see a batch. */
const OBJECTS: readonly ContractTest[] = [
  rule('2.6 object: the same fields in every state and in the list', async (t, service) => {
    const { batches } = await newKey(service, 'batch-object');
    const finished = await batches.made(lines(2));
    await batches.finished(finished);
    hold(t, service);
    const waiting = await batches.made(lines(2));
    const cancelled = await batches.made(lines(2));
    for (const { json } of [
      await batches.show(finished),
      await batches.show(waiting),
      await batches.cancel(cancelled),
    ]) {
      t.strictSame(Object.keys(json), OBJECT);
      t.equal(json.object, 'batch');
      t.equal(json.data_region, 'CANADA-1 (Canada)');
    }
    const showAll = () =>
      Promise.all([finished, waiting, cancelled].map(async (id) => (await batches.show(id)).json));
    let listed: Reply['json'];
    let shown: readonly Reply['json'][] = [];
    // A batch can start between two requests, so the list is compared only if no batch changed while it was read.
    await until(async () => {
      const before = await showAll();
      listed = (await batches.list()).json;
      shown = await showAll();
      return isDeepStrictEqual(before, shown);
    });
    t.strictSame(listed, { object: 'list', data: shown });
  }),
  rule('2.6 times: ISO 8601 with offset, null until they happen', async (t, service) => {
    const { batches } = await newKey(service, 'batch-times');
    hold(t, service);
    const first = await batches.made(lines(9));
    const second = await batches.made(lines(1));
    await service.engine.held();
    const before = (await batches.show(second)).json;
    t.strictSame([before.started_at, before.finished_at, before.delete_after], [null, null, null]);
    t.match(before.created_at, TIMESTAMP);
    // On a database, the start is stored a moment later.
    await until(async () => (await batches.show(first)).json.started_at !== null);
    const running = (await batches.show(first)).json;
    t.match(running.started_at, TIMESTAMP);
    t.strictSame([running.finished_at, running.delete_after], [null, null]);
    service.engine.open();
    const after = await batches.finished(second);
    for (const name of ['created_at', 'started_at', 'finished_at', 'expires_at', 'delete_after']) {
      t.match(after[name], TIMESTAMP, name);
    }
    const at = (name: string) => Date.parse(after[name]);
    t.ok(at('created_at') <= at('started_at') && at('started_at') <= at('finished_at'));
    t.equal(at('expires_at'), at('created_at') + DAY_MS);
    t.equal(at('delete_after'), at('finished_at') + 14 * DAY_MS);
  }),
  rule('2.6 counts: done, failed and pending lines', async (t, service) => {
    const { batches } = await newKey(service, 'batch-counts');
    const mixed = await batches.made([...lines(3), line('long', { questions: TOO_LONG })]);
    const done = await batches.finished(mixed);
    t.strictSame([done.lines, done.counts, done.status], [4, counts(3, 1, 0), 'done']);
    hold(t, service);
    const open = await batches.made(lines(9));
    t.strictSame((await batches.show(open)).json.counts, counts(0, 0, 9));
    await batches.cancel(open);
    service.engine.open();
    const cancelled = (await batches.finished(open)).counts;
    t.equal(cancelled.done + cancelled.failed, 9, 'what was cancelled has failed');
    t.equal(cancelled.pending, 0);
  }),
  rule('2.6 models: the models that lines name, each once', async (t, service) => {
    const { batches } = await newKey(service, 'batch-object-models');
    const named = ['decider-g-31b', BUILDS['decider-g-12b'], 'decider-g-31b', 'decider-g-12b'];
    const id = await batches.made(named.map((model, at) => line(`l${at}`, { model })));
    t.strictSame((await batches.show(id)).json.models, [...new Set(named)]);
  }),
  rule('2.6 estimated_cost: a quarter of the bytes, at the batch price', async (t, service) => {
    const { batches } = await newKey(service, 'batch-estimate');
    for (const model of ['decider-g-12b', 'decider-g-31b'] as const) {
      const file = [line('a', { model }), line('b', { model, state: 'word '.repeat(1_000) })];
      const { estimated_cost } = (await batches.submit(file)).json;
      t.strictSame(Object.keys(estimated_cost), ['amount', 'currency', 'input_tokens', 'rate', 'basis']);
      const tokens = file.reduce((sum, each) => sum + Math.ceil(each.length / 4), 0);
      t.equal(estimated_cost.input_tokens, tokens);
      t.equal(estimated_cost.amount, (tokens * Number(PRICES[model])) / 2 / 1e12);
      t.strictSame(
        [estimated_cost.currency, estimated_cost.rate, estimated_cost.basis],
        ['GBP', 0.5, 'estimate'],
      );
    }
  }),
  rule('4.6 list: all batches of the key, oldest first', async (t, service) => {
    const { batches } = await newKey(service, 'batch-list');
    t.strictSame((await batches.list()).json, { object: 'list', data: [] });
    const ids: string[] = [];
    for (let count = 1; count <= 5; count += 1) ids.push(await batches.made(lines(count)));
    const { data } = (await batches.list()).json;
    t.strictSame(
      data.map(({ id, lines: count }: { id: string; lines: number }) => [id, count]),
      ids.map((id, at) => [id, at + 1]),
    );
    const page = async (query: string) => {
      const { json } = await batches.list(query);
      return [json.data.map(({ id }: { id: string }) => id), json.has_more];
    };
    t.strictSame(await page('?limit=2'), [ids.slice(0, 2), true], 'ours: pages');
    t.strictSame(await page(`?after=${ids[1]}&limit=3`), [ids.slice(2), false]);
    t.strictSame(await page(`?after=${ids[1]}&other=1`), [ids.slice(2), undefined]);
    for (const [query, name] of [
      ...['0', '101', '-1', '1.5', '', 'x', '1&limit=2'].map((limit) => [`?limit=${limit}`, 'limit']),
      [`?after=batch_${'a'.repeat(24)}`, 'after'],
      ['?after=', 'after'],
    ] as const) {
      const { status, json } = await batches.list(query);
      t.strictSame([status, json.type], [400, 'invalid_request'], query);
      t.match(json.error, `\`${name}\``);
    }
  }),
  rule('5 rule 5: a batch belongs to its key; other keys get batch_not_found', async (t, service) => {
    const { administration, get } = service;
    const { batches, workspace, key } = await newKey(service, 'batch-owner');
    hold(t, service);
    const id = await batches.made(lines(2));
    const others = [
      service.token,
      (await administration.change(CHANGES.createKey(workspace))).token,
      (await administration.change(CHANGES.rollKey(key))).token,
    ];
    const missing = `batch_${'a'.repeat(24)}`;
    for (const token of others) {
      t.strictSame(
        (await get('/v1/batches', { token })).json.data.filter((each: { id: string }) => each.id === id),
        [],
      );
      for (const [path, method] of [
        ['', 'GET'],
        ['/results', 'GET'],
        ['/cancel', 'POST'],
      ] as const) {
        const own = await get(`/v1/batches/${id}${path}`, { token, method });
        const none = await get(`/v1/batches/${missing}${path}`, { token, method });
        t.strictSame([own.status, own.json.type], [404, 'batch_not_found']);
        t.strictSame([own.status, own.text], [none.status, none.text], 'as for a missing id');
      }
    }
    // Lines of an earlier test may occupy the engine.
    t.match((await batches.show(id)).json.status, /^(queued|running)$/, 'it has not been cancelled');
    t.equal((await batches.list()).json.data.length, 1, 'a rolled key still works');
  }),
  httpRule('7.1 batch_not_found: malformed ids', async (t, { get }) => {
    for (const id of [
      '1',
      'batch_',
      `batch_${'a'.repeat(23)}`,
      `batch_${'a'.repeat(2_000)}`,
      '%00',
      '..%2f',
      'é',
    ]) {
      for (const path of ['', '/results']) {
        const { status, json } = await get(`/v1/batches/${encodeURI(id)}${path}`);
        t.strictSame([status, json.type], [404, 'batch_not_found'], id.slice(0, 30));
      }
    }
  }),
];

/** Contract 8: the limits of batches. */
const LIMITS: readonly ContractTest[] = [
  httpRule('8 limit batch file: 32 MiB as sent and 32 MiB decompressed, and no more', async (t, service) => {
    const { batches, workspace } = await newKey(service, 'batch-bytes');
    await service.administration.change(CHANGES.changeWorkspace(workspace, { bytesPerMinute: 2 ** 40 }));
    const file = Buffer.alloc(32 * MEBIBYTE + 1, ' ');
    file.write(`${line('a')}\n`);
    const full = file.subarray(0, -1);
    const blank = (bytes: number) => ({ kind: 'run', byte: 0x20, times: bytes }) as const;
    const run = (bytes: number) => {
      const head = Buffer.from(`${line('a')}\n`);
      const blocks = Array.from({ length: Math.floor((bytes - head.length) / 131_072) }, () =>
        blank(131_072),
      );
      return zstdFrame([{ kind: 'raw', bytes: head }, ...blocks, blank((bytes - head.length) % 131_072)]);
    };
    t.equal((await batches.submit(full)).json.lines, 1);
    t.equal((await batches.submit(gzipSync(full), { 'content-encoding': 'gzip' })).json.lines, 1);
    t.equal((await batches.submit(run(full.length), { 'content-encoding': 'zstd' })).json.lines, 1);
    for (const [encoding, bytes] of [
      [null, file],
      ['gzip', gzipSync(file)],
      ['zstd', run(file.length)],
    ] as const) {
      const headers = encoding === null ? {} : { 'content-encoding': encoding };
      const { status, json } = await batches.submit(bytes, headers);
      t.strictSame([status, json.type], [413, 'body_too_large'], encoding ?? 'plain');
    }
  }),
  rule('8 limit open batches: 10 per key, also for concurrent submissions', async (t, service) => {
    const { administration } = service;
    const { batches, workspace } = await newKey(service, 'batch-ten');
    hold(t, service);
    const replies = await Promise.all(Array.from({ length: 16 }, () => batches.submit(lines(4))));
    t.equal(replies.filter(({ status }) => status === 200).length, 10);
    for (const { status, json, headers } of replies.filter((each) => each.status !== 200)) {
      t.strictSame([status, json.type, headers.get('retry-after')], [429, 'too_many_batches', '300']);
    }
    t.equal((await batches.list()).json.data.length, 10);
    const { token } = await administration.change(CHANGES.createKey(workspace));
    const other = await service.post(line('a'), { path: '/v1/batches', token });
    t.equal(other.status, 200, 'another key of the workspace has its own');
    const [{ id }] = (await batches.list()).json.data;
    await batches.cancel(id);
    t.equal((await batches.submit(lines(1))).status, 200, 'one that is cancelled is not open');
    t.equal((await batches.submit(lines(1))).status, 429);
    service.engine.open();
    for (const each of (await batches.list()).json.data) await batches.finished(each.id);
    t.equal((await batches.submit(lines(1))).status, 200, 'one that is finished is not open');
  }),
  rule('8 limit batch lines: they do not count as requests', async (t, service) => {
    const { batches, workspace, token } = await newKey(service, 'batch-rates');
    await service.administration.change(CHANGES.changeWorkspace(workspace, { requestsPerMinute: 4 }));
    const before = service.engine.started;
    await batches.made(lines(50));
    const live = async () => (await service.post({ state: 'x', questions: ASK }, { token })).status;
    await until(() => service.engine.started >= before + 50);
    t.strictSame([await live(), await live(), await live(), await live()], [200, 200, 200, 429]);
  }),
  rule('8 limit request bytes: those of batch files count', async (t, service) => {
    const { batches, workspace, token } = await newKey(service, 'batch-request-bytes');
    const file = `${line('a')}\n`;
    await service.administration.change(
      CHANGES.changeWorkspace(workspace, { bytesPerMinute: 3 * file.length }),
    );
    for (let count = 0; count < 3; count += 1) t.equal((await batches.submit(file)).status, 200);
    const { status, json, headers } = await batches.submit(file);
    t.strictSame([status, json.type], [429, 'rate_limited']);
    t.match(headers.get('retry-after'), /^([1-9]|[1-5]\d|60)$/);
    t.equal(
      (await service.post({ state: 'x', questions: ASK }, { token })).status,
      429,
      'with those of live requests',
    );
    t.equal((await batches.list()).status, 200, 'what has no body is free');
  }),
];

export const BATCHES_OBJECTS = [...OBJECTS, ...LIMITS];
