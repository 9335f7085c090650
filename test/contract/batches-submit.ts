import { gzipSync } from 'node:zlib';
import { CHANGES } from '../../src/access/index.js';
import { ERRORS, type ErrorType } from '../../src/api/index.js';
import { hold, line, lines, newKey, outcomes, tokensOfLine } from '../support/contract/batch-calls.js';
import type { Reply, Service } from '../support/contract/service.js';
import { ASK, type ContractTest, httpRule, rule } from '../support/contract/suite.js';
import { request } from '../support/http/raw-client.js';
import { storedFrame } from '../support/zstd.js';

const DAY_MS = 24 * 3_600_000;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;
const path = '/v1/batches';

/** Submits a body with these headers. */
const send = (
  { post }: Service,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
  token?: string,
) =>
  post(body, {
    path,
    headers: { 'content-type': 'application/jsonl', ...headers },
    ...(token === undefined ? {} : { token }),
  });

/** A submission that causes each type of error. */
const CAUSES: Partial<Record<ErrorType, (service: Service) => Promise<Reply>>> = {
  unauthorized: ({ post }) => post(line('a'), { path, token: null }),
  unsupported_encoding: (service) => send(service, line('a'), { 'content-encoding': 'br' }),
  unsupported_media_type: (service) =>
    send(service, line('a'), { 'content-type': 'multipart/form-data; boundary=b' }),
  out_of_credit: async (service) =>
    send(service, line('a'), {}, (await service.account('batch-errors-credit', 0)).token),
  budget_exceeded: async (service) => {
    const { token, workspace } = await service.account('batch-errors-budget');
    await service.administration.change(CHANGES.changeWorkspace(workspace, { budget: 0n }));
    return send(service, line('a'), {}, token);
  },
  rate_limited: async (service) => {
    const { token, workspace } = await service.account('batch-errors-rate');
    await service.administration.change(
      CHANGES.changeWorkspace(workspace, { bytesPerMinute: line('a').length }),
    );
    await send(service, '{', {}, token);
    return send(service, line('a'), {}, token);
  },
  bad_encoding: (service) => send(service, line('a'), { 'content-encoding': 'gzip' }),
  invalid_jsonl: (service) => send(service, Buffer.from([...Buffer.from(line('a')), 0x0a, 0xff])),
  empty_batch: (service) => send(service, ''),
  invalid_webhook_url: (service) =>
    send(service, line('a'), { 'service-webhook-url': 'http://example.com/' }),
};
const TYPES = Object.entries(CAUSES) as [ErrorType, (service: Service) => Promise<Reply>][];

/** Contract 7.1: the errors of a submission as a whole. */
const ERRORS_OF_SUBMIT: readonly ContractTest[] = [
  ...TYPES.map(([type, cause]) =>
    httpRule(`7.1 ${type}: its status, its shape, its headers`, async (t, service) => {
      const { status, json, headers } = await cause(service);
      t.strictSame([status, json.type], [ERRORS[type].status, type]);
      t.strictSame(Object.keys(json).sort(), ['error', 'type']);
      t.match(json.error, /^[A-Z`].+\.$/s, 'one sentence');
      t.ok(headers.get('x-request-id'));
      t.equal(headers.get('www-authenticate'), status === 401 ? 'Bearer' : null);
      if (status === 429) t.match(headers.get('retry-after'), /^([1-9]|[1-5]\d|60)$/);
      else t.equal(headers.get('retry-after'), null);
    }),
  ),
  rule('7.1 invalid_jsonl: bytes that are not UTF-8, anywhere in the file', async (t, service) => {
    for (const bytes of [
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xff, 0xfe, 0x7b, 0x00],
    ]) {
      for (const file of [
        [...bytes, ...Buffer.from(line('a'))],
        [...Buffer.from(`${line('a')}\n`), ...bytes],
      ]) {
        t.equal((await send(service, Buffer.from(file))).json.type, 'invalid_jsonl');
      }
    }
  }),
  rule('7.1 empty_batch: no lines, or only blank ones', async (t, service) => {
    for (const file of ['', '\n', '\n\n\n', '  \r\n\t\n', ' ']) {
      const { status, json } = await send(service, file);
      t.strictSame([status, json.type], [400, 'empty_batch'], JSON.stringify(file));
    }
  }),
  rule('7.1 bad_encoding: truncated, damaged or trailing data', async (t, service) => {
    const zipped = gzipSync(line('a').repeat(50));
    const damaged = Buffer.from(zipped);
    damaged.writeUInt8(damaged.readUInt8(20) ^ 0xff, 20);
    for (const [encoding, bytes] of [
      ['gzip', zipped.subarray(0, -9)],
      ['gzip', damaged],
      ['gzip', Buffer.concat([zipped, Buffer.from('x')])],
      ['zstd', storedFrame(Buffer.from(line('a'))).subarray(0, -3)],
      ['zstd', zipped],
    ] as const) {
      const { status, json } = await send(service, bytes, { 'content-encoding': encoding });
      t.strictSame([status, json.type], [400, 'bad_encoding'], encoding);
    }
  }),
  httpRule('7.1 401: every batch path requires a valid token', async (t, service) => {
    const { administration, get, post } = service;
    const revoked = await service.account('batch-revoked');
    await administration.change(CHANGES.revokeKey(revoked.key));
    for (const token of [null, 'wrong', revoked.token]) {
      for (const reply of [
        await post(line('a'), { path, token }),
        await get(path, { token }),
        await get(`${path}/batch_${'a'.repeat(24)}`, { token }),
        await get(`${path}/batch_${'a'.repeat(24)}/results`, { token }),
        await get(`${path}/batch_${'a'.repeat(24)}/cancel`, { token, method: 'POST' }),
      ]) {
        t.strictSame([reply.status, reply.json.type], [401, 'unauthorized']);
      }
    }
  }),
  httpRule('7.1 411, 413: refused by the headers, before the body is read', async (t, { raw, token }) => {
    const Authorization = `Bearer ${token}`;
    for (const [headers, status, type] of [
      [{ 'Content-Length': null }, 411, 'length_required'],
      [{ 'Content-Length': null, 'Transfer-Encoding': 'chunked' }, 411, 'length_required'],
      [{ 'Content-Length': String(32 * 1024 * 1024 + 1) }, 413, 'body_too_large'],
    ] as const) {
      const answer = await raw(request('POST', path, '', { Authorization, ...headers }));
      t.strictSame([answer.status, JSON.parse(answer.body).type], [status, type]);
    }
  }),
  rule('7.1 order: a file with several errors gets the first', async (t, service) => {
    const { post, administration, account } = service;
    const poor = (await account('batch-order-credit', 0)).token;
    const slow = await account('batch-order-rate');
    await administration.change(CHANGES.changeWorkspace(slow.workspace, { requestsPerMinute: 1 }));
    await service.get(path, { token: slow.token });
    const wrong = { 'content-encoding': 'br', 'content-type': 'multipart/mixed' };
    const webhook = { 'service-webhook-url': 'http://a/' };
    const once = { 'idempotency-key': 'order' };
    const steps: readonly [string, string | Uint8Array, Parameters<Service['post']>[1]][] = [
      ['not_found', 'x', { path: '/v1/batchs', token: null }],
      ['method_not_allowed', 'x', { path, method: 'PUT', token: null }],
      ['unauthorized', 'x', { path, token: null, headers: wrong }],
      ['unsupported_encoding', 'x', { path, token: poor, headers: wrong }],
      ['unsupported_media_type', 'x', { path, token: poor, headers: { 'content-type': 'multipart/mixed' } }],
      ['out_of_credit', 'x', { path, token: poor, headers: webhook }],
      ['out_of_credit', 'x', { path, token: poor, headers: { ...webhook, ...once } }],
      ['bad_encoding', 'x', { path, token: poor, headers: { ...once, 'content-encoding': 'gzip' } }],
      ['rate_limited', 'x', { path, token: slow.token, headers: webhook }],
      ['invalid_webhook_url', 'x', { path, headers: { ...webhook, 'content-encoding': 'gzip' } }],
      ['bad_encoding', Buffer.from([0xff]), { path, headers: { 'content-encoding': 'gzip' } }],
      ['invalid_jsonl', Buffer.from([0xff]), { path }],
      ['empty_batch', '\n'.repeat(60_000), { path }],
      ['too_many_lines', '{\n'.repeat(50_001), { path }],
      ['invalid_batch', '{', { path }],
    ];
    for (const [type, body, sending] of steps) t.equal((await post(body, sending)).json.type, type);
  }),
  httpRule('7.1 method_not_allowed: each path has its methods', async (t, { get, token }) => {
    const id = `batch_${'a'.repeat(24)}`;
    for (const [target, allow, methods] of [
      [path, 'POST, GET, HEAD', ['PUT', 'DELETE', 'PATCH']],
      [`${path}/${id}`, 'GET, HEAD', ['POST', 'DELETE']],
      [`${path}/${id}/results`, 'GET, HEAD', ['POST', 'DELETE']],
      [`${path}/${id}/cancel`, 'POST', ['GET', 'HEAD', 'DELETE']],
    ] as const) {
      for (const method of methods) {
        const { status, json, headers } = await get(target, { method, token });
        t.equal(status, 405, `${method} ${target}`);
        if (method !== 'HEAD') t.equal(json.type, 'method_not_allowed');
        t.equal(headers.get('allow'), allow);
      }
    }
  }),
];

/** Contract 4.6 `submit` and contract 4.6 rules 1, 2, 6 and 7. */
const SUBMIT: readonly ContractTest[] = [
  httpRule('4.6 submit: 200 with the submit response of 2.6', async (t, service) => {
    const { batches } = await newKey(service, 'batch-submit');
    const { status, json, headers } = await batches.submit(lines(3));
    t.equal(status, 200);
    t.match(headers.get('content-type'), /^application\/json/);
    t.strictSame(Object.keys(json), [
      'id',
      'object',
      'status',
      'lines',
      'estimated_cost',
      'expires_at',
      'data_region',
    ]);
    t.match(json.id, /^batch_[A-Za-z0-9]{24}$/);
    t.strictSame([json.object, json.status, json.lines], ['batch', 'queued', 3]);
    t.equal(json.data_region, 'CANADA-1 (Canada)');
    t.match(json.expires_at, TIMESTAMP);
    const shown = (await batches.show(json.id)).json;
    t.equal(Date.parse(json.expires_at) - Date.parse(shown.created_at), DAY_MS);
    for (const name of ['estimated_cost', 'expires_at', 'lines']) t.strictSame(json[name], shown[name]);
  }),
  httpRule('4.6 submit: gzip and zstd files are read like uncompressed ones', async (t, service) => {
    const { batches } = await newKey(service, 'batch-encodings');
    const file = `${lines(5).join('\n')}\n`;
    const found: string[] = [];
    for (const [encoding, bytes] of [
      [null, Buffer.from(file)],
      ['gzip', gzipSync(file)],
      ['zstd', storedFrame(Buffer.from(file))],
    ] as const) {
      const id = await batches.made(bytes, encoding === null ? {} : { 'content-encoding': encoding });
      await batches.finished(id);
      found.push((await batches.results(id)).text);
    }
    t.strictSame(new Set(found).size, 1);
    t.equal(found[0]?.split('\n').length, 6);
  }),
  httpRule('4.6 submit: any media type but a multipart one', async (t, service) => {
    const { batches } = await newKey(service, 'batch-media');
    for (const type of [
      'application/jsonl',
      'application/x-ndjson',
      'text/plain',
      'application/octet-stream',
    ]) {
      t.equal((await batches.submit(lines(1), { 'content-type': type })).status, 200, type);
    }
    for (const type of ['multipart/form-data; boundary=x', 'Multipart/Mixed']) {
      const { status, json } = await batches.submit(lines(1), { 'content-type': type });
      t.strictSame([status, json.type], [415, 'unsupported_media_type'], type);
    }
  }),
  rule('4.6 rule 1: one object per line; blank lines are skipped but counted', async (t, service) => {
    const { batches } = await newKey(service, 'batch-blank-lines');
    const text = JSON.stringify('two\nlines');
    const second = line('b', { state: 0 }).replace('"state":0', `"state":${text}`);
    for (const file of [
      `${line('a')}\n${second}`,
      `${line('a')}\r\n${second}\r\n`,
      `\n\n  \n${line('a')}\n\t\n\r\n${second}\n\n\n`,
    ]) {
      const results = await batches.answered(file);
      t.strictSame(
        results.map(({ custom_id }) => custom_id),
        ['a', 'b'],
      );
      t.strictSame(outcomes(results), ['answered', 'answered']);
    }
    const { json } = await batches.submit(`\n\n${line('a')}\n \n{\n${line('b')}\n\n{}`);
    t.strictSame(
      json.errors.map(({ line: number, type }: { line: number; type: string }) => [number, type]),
      [
        [5, 'invalid_json'],
        [8, 'invalid_custom_id'],
      ],
    );
  }),
  rule('4.6 rule 2: one invalid line, and nothing is queued', async (t, service) => {
    const { batches } = await newKey(service, 'batch-all-or-nothing');
    const { status, json } = await batches.submit([...lines(500), line('l1')]);
    t.strictSame([status, json.type, json.invalid_lines], [422, 'invalid_batch', 1]);
    t.strictSame((await batches.list()).json.data, []);
  }),
  rule('4.6 rule 6: a paused key cannot submit, but can check, collect and cancel', async (t, service) => {
    const { administration, engine } = service;
    const { batches, workspace } = await newKey(service, 'batch-paused-submit');
    const finished = await batches.made(lines(2));
    await batches.finished(finished);
    hold(t, service);
    const open = await batches.made(lines(9));
    for (const [change, type] of [
      [() => administration.change(CHANGES.changeWorkspace(workspace, { budget: 0n })), 'budget_exceeded'],
      [() => administration.change(CHANGES.grantCredit(workspace, -(10n ** 15n))), 'out_of_credit'],
    ] as const) {
      await change();
      const { status, json } = await batches.submit(lines(1));
      t.strictSame([status, json.type], [402, type]);
      t.equal((await batches.show(open)).status, 200);
      t.equal((await batches.list()).json.data.length, 2);
      t.equal((await batches.results(finished)).text.split('\n').length, 3);
      await administration.change(CHANGES.changeWorkspace(workspace, { budget: null }));
    }
    t.strictSame(
      [(await batches.cancel(open)).status, (await batches.show(open)).json.status],
      [200, 'cancelled'],
    );
    engine.open();
    await batches.finished(open);
  }),
  rule('4.6 rule 7: a second submission of a file is a second batch', async (t, service) => {
    const { batches } = await newKey(service, 'batch-twice');
    const first = await batches.made(lines(2));
    const second = await batches.made(lines(2));
    t.not(first, second);
    t.strictSame(
      (await batches.list()).json.data.map(({ id }: { id: string }) => id),
      [first, second],
      'the list shows what was received',
    );
  }),
  rule('5 rule 4: batches share keys, credit and workspace rules with live requests', async (t, service) => {
    const tokens = await tokensOfLine(service);
    // A line costs half as much as a live request.
    const { batches, token, workspace } = await newKey(service, 'batch-shared-credit', 2 * tokens);
    t.strictSame(outcomes(await batches.answered(lines(2))), ['answered', 'answered']);
    const live = () => service.post({ state: 'x', questions: ASK }, { token });
    t.equal((await live()).status, 200, 'one live request is left');
    t.equal((await live()).json.type, 'out_of_credit');
    t.equal((await batches.submit(lines(1))).json.type, 'out_of_credit');
    await service.administration.change(CHANGES.grantCredit(workspace, 10n ** 12n));
    await service.administration.change(CHANGES.changeWorkspace(workspace, { models: ['decider-g-31b'] }));
    t.equal((await batches.submit(lines(1))).json.errors[0].type, 'model_not_allowed');
  }),
];

export const BATCHES_SUBMIT = [...SUBMIT, ...ERRORS_OF_SUBMIT];
