import { gzipSync } from 'node:zlib';
import { CHANGES } from '../../src/access/index.js';
import { LIMITS } from '../../src/api/index.js';
import { BUILDS } from '../support/contract/service.js';
import { ASK, type ContractTest, httpRule, rule } from '../support/contract/suite.js';
import { request } from '../support/http/raw-client.js';
import { storedFrame } from '../support/zstd.js';

const BODY = JSON.stringify({ state: 'x', questions: ASK });

/** A body of exactly so many bytes, most of them in a field that is ignored. */
function bodyOf(bytes: number): string {
  const empty = JSON.stringify({ state: 'x', questions: ASK, more: '' });
  return empty.replace('"more":""', `"more":"${'a'.repeat(bytes - empty.length)}"`);
}

const MODEL = { reads_images: false, max_options: 130, context_tokens: 32_768, domain: null };
const BOUNDARY = 'a-boundary';
const multipart = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
const part = (name: string, content: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;
const END = `--${BOUNDARY}--\r\n`;

/** Contract 4.1 and contract 4.2. */
const DECIDE: readonly ContractTest[] = [
  httpRule('4.1 rule 1: Content-Length is required', async (t, { raw, token }) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Length': null };
    const none = await raw(request('POST', '/v1/decide', '', headers));
    t.equal(none.status, 411);
    t.equal(JSON.parse(none.body).type, 'length_required');
    const chunks = request('POST', '/v1/decide', `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`, {
      ...headers,
      'Transfer-Encoding': 'chunked',
    });
    t.equal((await raw(chunks)).status, 411);
  }),
  httpRule('4.1 rule 1: 32 MiB as sent, and no more', async (t, { post, raw, account }) => {
    const { token } = await account('large-bodies');
    t.equal((await post(bodyOf(LIMITS.bodyBytes), { token })).status, 200);
    const headers = { Authorization: `Bearer ${token}`, 'Content-Length': String(32 * 1024 * 1024 + 1) };
    const { status, body } = await raw(request('POST', '/v1/decide', '', headers));
    t.strictSame([status, JSON.parse(body).type], [413, 'body_too_large']);
  }),
  rule('4.1 rule 1: 32 MiB decompressed, and no more', async (t, { post, account }) => {
    const { token } = await account('compressed-bodies');
    for (const [encoding, compress] of [
      ['gzip', (text: string) => gzipSync(text)],
      ['zstd', (text: string) => storedFrame(Buffer.from(text))],
    ] as const) {
      const headers = { 'content-encoding': encoding };
      if (encoding === 'gzip') {
        const full = await post(compress(bodyOf(32 * 1024 * 1024)), { headers, token });
        t.equal(full.status, 200);
      }
      const over = await post(compress(bodyOf(32 * 1024 * 1024 + 1)), { headers, token });
      t.strictSame([over.status, over.json?.type], [413, 'body_too_large'], encoding);
    }
  }),
  httpRule('4.1 rule 2: gzip and zstd bodies are answered like uncompressed ones', async (t, { post }) => {
    const plain = await post(BODY);
    for (const [encoding, bytes] of [
      ['gzip', gzipSync(BODY)],
      ['zstd', storedFrame(Buffer.from(BODY))],
    ] as const) {
      const { status, text } = await post(bytes, { headers: { 'content-encoding': encoding } });
      t.equal(status, 200, encoding);
      t.equal(text, plain.text);
    }
  }),
  httpRule('4.1 rule 2: any other encoding is 415', async (t, { post }) => {
    for (const encoding of ['br', 'deflate', 'x-gzip', 'gzip, gzip', 'compress', 'identity', 'Identity']) {
      const { status, json } = await post(BODY, { headers: { 'content-encoding': encoding } });
      t.strictSame([status, json.type], [415, 'unsupported_encoding'], encoding);
    }
  }),
  httpRule(
    '4.1 rule 1: a body of any type but a multipart one is read as JSON',
    async (t, { post, raw, token }) => {
      const plain = await post(BODY);
      for (const type of [
        'application/x-www-form-urlencoded',
        'text/plain',
        'application/octet-stream',
        'x',
      ]) {
        const { status, text } = await post(BODY, { headers: { 'content-type': type } });
        t.strictSame([status, text], [200, plain.text], type);
      }
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': null };
      t.equal((await raw(request('POST', '/v1/decide', BODY, headers))).body, plain.text, 'none');
      for (const type of ['multipart/mixed; boundary=b', 'Multipart/Form-Data-2']) {
        const { status, json } = await post(BODY, { headers: { 'content-type': type } });
        t.strictSame([status, json.type], [415, 'unsupported_media_type'], type);
      }
    },
  ),
  httpRule('4.1 rule 3: multipart is accepted if its first part is the request', async (t, { post }) => {
    const { status, text } = await post(part('request', BODY) + END, { headers: multipart });
    t.equal(status, 200);
    t.equal(text, (await post(BODY)).text);
    const other = await post(part('body', BODY) + END, { headers: multipart });
    t.strictSame([other.status, other.json.type], [400, 'bad_multipart']);
    const second = await post(part('image', 'x') + part('request', BODY) + END, { headers: multipart });
    t.strictSame([second.status, second.json.type], [400, 'bad_multipart']);
  }),
  rule('4.1 rule 3: a multipart body may be compressed as a whole', async (t, { post }) => {
    const body = gzipSync(part('request', BODY) + END);
    const { status } = await post(body, { headers: { ...multipart, 'content-encoding': 'gzip' } });
    t.equal(status, 200);
  }),
  rule('4.1 rule 4: one invalid question refuses the whole request', async (t, { post }) => {
    for (const [bad, type] of [
      [{ type: 'score', criteria: ['one'] }, 'invalid_question'],
      [{ type: 'noul', instructions: 'word '.repeat(100_000) }, 'invalid_question'],
      [{ type: 'other' }, 'invalid_type'],
    ] as const) {
      const { status, json } = await post({ state: 'x', questions: { ...ASK, bad } });
      t.strictSame([status, json.type], [422, type]);
      t.notOk('answers' in json);
      t.match(json.error, /"bad"/, 'the message names the question');
    }
  }),
  httpRule(
    '4.1 X-Request-Id: a unique id on every response, errors included',
    async (t, { get, post, raw }) => {
      const replies = [
        await post(BODY),
        await post('{'),
        await post(BODY, { token: null }),
        await post(BODY, { path: '/nowhere' }),
        await post(BODY, { headers: { 'content-encoding': 'br' } }),
        await get('/health'),
        await get('/v1/models'),
        await get('/v1/decide'),
        await get('/health', { method: 'OPTIONS' }),
        await get('/health', { method: 'HEAD' }),
      ];
      const ids = replies.map(({ headers }) => headers.get('x-request-id'));
      t.ok(
        ids.every((id) => /^[\x21-\x7e]{8,}$/.test(id ?? '')),
        `${ids}`,
      );
      t.equal(new Set(ids).size, ids.length);
      t.strictSame(
        replies.map(({ headers }) => headers.get('x-typesafe-request-id')),
        ids,
      );
      const { headers } = await raw(request('POST', '/v1/decide', '', { 'Content-Length': null }));
      t.ok(headers.get('x-request-id'));
    },
  ),
  httpRule(
    '4.1 X-RateLimit: the limits of the key, and what is left with the request counted',
    async (t, { post, account, administration }) => {
      const { token, workspace } = await account('rates');
      await administration.change(
        CHANGES.changeWorkspace(workspace, { requestsPerMinute: 100, bytesPerMinute: 1_000_000 }),
      );
      const text = JSON.stringify(BODY);
      const told = async (path: string) => {
        const { headers } = await post(text, { token, path });
        const of = (name: string) => headers.get(`x-ratelimit-${name}`);
        t.match(of('reset-requests'), /^\d+(\.\d+)?s$/);
        t.equal(of('reset-bytes'), of('reset-requests'));
        const names = ['limit-requests', 'remaining-requests', 'limit-bytes', 'remaining-bytes'];
        return names.map((name) => Number(of(name)));
      };
      t.strictSame(await told('/nowhere'), [100, 100, 1_000_000, 1_000_000], 'not counted');
      t.strictSame(await told('/v1/decide'), [100, 99, 1_000_000, 1_000_000 - Buffer.byteLength(text)]);
    },
  ),
  httpRule(
    '4.1 Service-Key-Id, Service-Key-Expires: the calling key, errors included',
    async (t, { post, get, raw, account, gateway }) => {
      const { token, key } = await account('headers');
      const batches = '/v1/batches';
      const answers = [
        [200, await post(BODY, { token })],
        [200, await get(batches, { token })],
        [400, await post('{', { token })],
        [422, await post('{}', { token })],
        [404, await post(BODY, { token, path: '/nowhere' })],
        [404, await post(BODY, { token, path: '/m/unknown/v1/decide' })],
        [404, await get(`${batches}/batch_1`, { token })],
        [405, await get('/v1/decide', { token })],
        [405, await post(BODY, { token, path: batches, method: 'DELETE' })],
        [415, await post(BODY, { token, headers: { 'content-encoding': 'br' } })],
        [415, await post(BODY, { token, headers: { 'content-type': 'multipart/mixed' } })],
        [503, await post(BODY, { token, path: `${gateway}${batches}` })],
      ] as const;
      for (const [expected, { status, headers }] of answers) {
        t.equal(status, expected);
        t.equal(headers.get('service-key-id'), key, `${status}`);
        t.match(headers.get('service-key-expires'), /^\d{4}-\d{2}-\d{2}$/, `${status}`);
      }
      for (const [path, length, expected] of [
        ['/v1/decide', null, 411],
        ['/v1/decide', '99999999', 413],
        ['/v1/batches', '99999999', 413],
      ] as const) {
        const head = { Authorization: `Bearer ${token}`, 'Content-Length': length };
        const { status, headers } = await raw(request('POST', path, '', head));
        t.strictSame([status, headers.get('service-key-id')], [expected, key]);
      }
      const twice = { Authorization: `Bearer ${token}`, Host: 'a\r\nHost: b' };
      const ambiguous = await raw(request('POST', '/v1/decide', '', twice));
      t.strictSame([ambiguous.status, ambiguous.headers.get('service-key-id')], [400, key]);
      for (const [other, sending] of [
        ['no token', { token: null }],
        ['a wrong one, and no path', { token: 'wrong', path: '/nowhere' }],
        ['none, and no method', { token: null, method: 'PUT' }],
      ] as const) {
        const { headers } = await post(BODY, sending);
        t.notOk(headers.has('service-key-id') || headers.has('service-key-expires'), other);
      }
    },
  ),
];

/** Contract 2.8, contract 4.4, contract 4.5, and the live paths of contract 4.6. */
const OTHERS: readonly ContractTest[] = [
  rule('2.8: both lists hold the same models, in their documented shapes', async (t, { get }) => {
    const { json } = await get('/v1/models', { token: null });
    t.strictSame(json, {
      object: 'list',
      data: [
        { id: 'decider-g-12b', object: 'model', owned_by: 'decider' },
        { id: 'decider-g-31b', object: 'model', owned_by: 'decider' },
      ],
      models: [
        { name: 'decider-g-12b', description: 'A tiny model.', release_date: '2026-01-01', ...MODEL },
        { name: 'decider-g-31b', description: 'A tiny model.', release_date: null, ...MODEL },
      ],
    });
  }),
  rule('2.8: an endpoint lists what it serves', async (t, { get, gateway }) => {
    const { json } = await get(`${gateway}/v1/models`, { token: null });
    t.strictSame(
      json.data.map(({ id }: { id: string }) => id),
      ['decider-g-31b'],
    );
    t.strictSame(
      json.models.map(({ name }: { name: string }) => name),
      ['decider-g-31b'],
    );
  }),
  httpRule('4.4: the list of models needs no token', async (t, { get }) => {
    const none = await get('/v1/models', { token: null });
    t.equal(none.status, 200);
    t.equal((await get('/v1/models', { token: 'wrong' })).text, none.text);
  }),
  httpRule('4.5: the health check answers ok, and needs no token', async (t, { get, gateway }) => {
    for (const address of ['/health', `${gateway}/health`]) {
      const { status, json, headers } = await get(address, { token: null });
      t.equal(status, 200);
      t.strictSame(json, { status: 'ok' });
      t.match(headers.get('content-type'), /^application\/json/);
    }
  }),
  httpRule(
    '2.11: the limits of a key, in their documented shape',
    async (t, { get, account, administration }) => {
      const { token, workspace, key } = await account('limits', 2_000_000);
      await administration.change(
        CHANGES.changeWorkspace(workspace, { budget: 10n ** 12n, requestsPerMinute: 100 }),
      );
      const { json, headers } = await get('/v1/limits', { token });
      t.strictSame(json, {
        object: 'limits',
        key: { id: key, name: null, expires: headers.get('service-key-expires') },
        currency: 'GBP',
        credit: 0.003,
        month: { charged: 0, budget: 1 },
        per_minute: { requests: 100, bytes: 268_435_456 },
        server: {
          body_bytes: 33_554_432,
          questions: 16,
          options: 26,
          ...{ decision_questions: 400, decision_choices: 255, decision_levels: 26 },
          ...{ option_rotations: 26, prompts: 400 },
          state_characters: 20_000,
          images: 8,
          image_bytes: 16_777_216,
          batch_lines: 50_000,
          batches_open: 10,
        },
        models: [
          { id: 'decider-g-12b', default: true, ...MODEL, prices: { live: 0.0015, batch: 0.00075 } },
          { id: 'decider-g-31b', default: false, ...MODEL, prices: { live: 0.005, batch: 0.0025 } },
        ],
      });
      t.equal((await get('/v1/limits', { token: null })).status, 401);
    },
  ),
  rule('2.11 models: those that the key may use at the endpoint', async (t, service) => {
    const { get, gateway, account, administration } = service;
    const { token, workspace } = await account('limits-models');
    const ids = async (path: string) =>
      (await get(path, { token })).json.models.map(({ id }: { id: string }) => id);
    t.strictSame(await ids(`${gateway}/v1/limits`), ['decider-g-31b']);
    await administration.change(CHANGES.changeWorkspace(workspace, { models: ['decider-g-12b'] }));
    t.strictSame(await ids('/v1/limits'), ['decider-g-12b']);
    t.strictSame(await ids(`${gateway}/v1/limits`), []);
  }),
  rule(
    '4.9: what was charged is counted at once, for a paused key too',
    async (t, { get, post, account }) => {
      const tokens = (await post(BODY)).json.usage.input_tokens;
      const { token } = await account('limits-spent', tokens);
      t.equal((await post(BODY, { token })).status, 200);
      t.equal((await post(BODY, { token })).json.type, 'out_of_credit');
      const { json } = await get('/v1/limits', { token });
      t.equal(json.credit, 0);
      t.equal(json.month.charged, Number((tokens * 0.0015e-6).toFixed(12)));
    },
  ),
  httpRule('4.8: paths of a model pin it, whatever the request names', async (t, { post, get }) => {
    for (const [path, build] of [
      ['/m/decider-g-31b/v1/decide', BUILDS['decider-g-31b']],
      [`/m/${BUILDS['decider-g-31b']}/v1/systemone`, BUILDS['decider-g-31b']],
      ['/m/decider-g-12b/v1/decide', BUILDS['decider-g-12b']],
    ] as const) {
      for (const model of ['unknown', 'decider-g-12b', 'decider-g-31b']) {
        const { status, json } = await post({ state: 'x', questions: ASK, model }, { path });
        t.strictSame([status, json.model], [200, build], path);
      }
    }
    t.equal((await get('/m/decider-g-12b/health', { token: null })).status, 200);
    const { json } = await get('/m/decider-g-31b/v1/models', { token: null });
    t.strictSame(
      json.data.map(({ id }: { id: string }) => id),
      ['decider-g-31b'],
    );
    for (const path of ['/m/unknown/v1/decide', '/m/unknown/v1/models']) {
      const reply = await get(path, { method: path.endsWith('decide') ? 'POST' : 'GET' });
      t.strictSame([reply.status, reply.json.type], [404, 'model_not_found'], path);
    }
    for (const path of ['/m/decider-g-12b/v1/batches', '/m/decider-g-12b/v1/batches/batch_1']) {
      const reply = await get(path);
      t.strictSame([reply.status, reply.json.type], [404, 'not_found'], path);
    }
  }),
  httpRule('4.8: the gateway has the paths of its own model only', async (t, { post, get, gateway }) => {
    for (const model of ['decider-g-31b', BUILDS['decider-g-31b']]) {
      const { status, json } = await post(BODY, { path: `${gateway}/m/${model}/v1/decide` });
      t.strictSame([status, json.model], [200, BUILDS['decider-g-31b']], model);
      t.equal((await get(`${gateway}/m/${model}/health`)).status, 200, model);
    }
    for (const model of ['decider-g-12b', BUILDS['decider-g-12b'], 'unknown']) {
      for (const [path, method] of [
        ['v1/decide', 'POST'],
        ['v1/systemone', 'POST'],
        ['v1/models', 'GET'],
        ['health', 'GET'],
      ] as const) {
        const { status, json } = await get(`${gateway}/m/${model}/${path}`, { method });
        t.strictSame([status, json.type], [404, 'model_not_found'], `${model} ${path}`);
      }
    }
  }),
  httpRule('9 rule 1: every path but the health check begins with its version', async (t, { get }) => {
    for (const path of ['/decide', '/systemone', '/models', '/v2/decide', '/V1/decide', '/v1']) {
      for (const method of ['GET', 'POST']) {
        const { status, json } = await get(path, { method });
        t.strictSame([status, json.type], [404, 'not_found'], `${method} ${path}`);
      }
    }
  }),
  rule('9 rule 2: a dated build is accepted and returned', async (t, { post }) => {
    const named = await post({ state: 'x', questions: ASK, model: BUILDS['decider-g-12b'] });
    t.equal(named.json.model, BUILDS['decider-g-12b']);
    t.equal(named.text, (await post({ state: 'x', questions: ASK })).text);
  }),
  rule('9 rule 3: a release date is an ISO 8601 date or null', async (t, { get }) => {
    const { json } = await get('/v1/models');
    const dates = json.models.map(({ release_date }: { release_date: string | null }) => release_date);
    t.strictSame(dates, ['2026-01-01', null]);
  }),
];

export const ENDPOINTS = [...DECIDE, ...OTHERS];
