import { userInfo } from 'node:os';
import type { Test } from 'tap';
import { OPERATOR_API, type OperatorResponses } from '../../src/api/index.js';
import { openStore } from '../../src/storage/folder/index.js';
import { runHere } from '../support/in-process.js';
import {
  conflict,
  ID,
  INSTANT,
  invalid,
  missing,
  OPERATOR,
  operatorTests,
  type World,
} from '../support/operator-world.js';
import { until } from '../support/until.js';

const SCENARIOS: Record<string, (t: Test, world: World) => Promise<void>> = {
  async 'workspaces: the first one, and one that is created, credited and changed'(t, { call }) {
    const { currency, workspaces } = await call(200, 'GET', 'workspaces');
    t.equal(currency, 'GBP');
    t.match(workspaces, [{ id: 'default', granted: '100.00', balance: '100.00', working_keys: 1 }]);
    const created = await call(201, 'POST', 'workspaces', { id: 'acme' });
    t.match(created, { created: INSTANT });
    t.strictSame(
      { ...created, created: '', version: '' },
      {
        id: 'acme',
        name: null,
        created: '',
        closed: null,
        granted: '0.00',
        charged: '0.00',
        balance: '0.00',
        reserved: '0.00',
        charged_this_month: '0.00',
        budget: null,
        models: null,
        requests_per_minute: 6_000,
        bytes_per_minute: 268_435_456,
        version: '',
      },
    );
    t.match(await call(200, 'POST', 'workspaces/acme/grants', { amount: '2.5' }), { granted: '2.50' });
    t.match(await call(200, 'POST', 'workspaces/%61cme/grants', { amount: '-1' }), { balance: '1.50' });
    const change = {
      budget: '7',
      models: ['tiny', 'tiny'],
      requests_per_minute: 9,
      bytes_per_minute: 1_000_000,
    };
    const { version, ...sent } = await call(200, 'PATCH', 'workspaces/acme', change);
    const { version: _, ...first } = created;
    const changed = {
      ...first,
      granted: '1.50',
      balance: '1.50',
      ...change,
      budget: '7.00',
      models: ['tiny'],
    };
    t.strictSame(sent, changed);
    t.strictSame(await call(200, 'PATCH', 'workspaces/acme', {}), { ...changed, version });
    const open = { budget: null, models: null };
    t.match(await call(200, 'PATCH', 'workspaces/acme', open), { ...open, requests_per_minute: 9 });
    t.match(await call(200, 'PATCH', 'workspaces/acme', { models: ['gone'], force: true }), {
      models: ['gone'],
    });
    const { workspaces: all } = await call(200, 'GET', 'workspaces');
    t.strictSame(
      all.map(({ id }: { id: string }) => id),
      ['acme', 'default'],
    );
  },

  async 'workspaces: what is refused'(t, { call, refused }) {
    await refused(conflict('id'), 'POST', 'workspaces', { id: 'default' });
    for (const id of ['', 'A', 'a'.repeat(65), '__proto__']) {
      await refused(invalid('id'), 'POST', 'workspaces', { id });
    }
    await refused(invalid('id'), 'POST', 'workspaces', {});
    await refused(invalid('id'), 'POST', 'workspaces', { id: 1 });
    await refused(invalid('title'), 'POST', 'workspaces', { id: 'x', title: 'x' });
    for (const name of ['', 1, ' x', 'a\u202e', 'x'.repeat(65)]) {
      await refused(invalid('name'), 'POST', 'workspaces', { id: 'x', name });
      await refused(invalid('name'), 'PATCH', 'workspaces/default', { name });
      await refused(invalid('name'), 'POST', 'keys', { workspace: 'default', name });
    }
    await refused(invalid('__proto__'), 'POST', 'workspaces', '{"id":"x","__proto__":{}}');
    for (const body of ['[]', 'null', '"x"', '1']) await refused(invalid(null), 'POST', 'workspaces', body);
    await refused(missing('id'), 'PATCH', 'workspaces/unknown', { budget: null });
    for (const action of ['close', 'reopen']) {
      await refused(missing('id'), 'POST', `workspaces/unknown/${action}`);
      await refused(invalid('x'), 'POST', `workspaces/default/${action}`, { x: 1 });
    }
    await refused(missing('id'), 'POST', 'workspaces/unknown/grants', { amount: '1' });
    await refused(missing('id'), 'GET', 'workspaces/unknown/usage');
    for (const [field, values] of Object.entries({
      budget: ['-1', 'x', 1],
      models: [[], [''], 'tiny', [1], ['unknown'], ['a\u001b[31m']],
      requests_per_minute: [0, 1_000_001, 1.5, '1', null],
      bytes_per_minute: [0, 2 ** 40 + 1],
      force: ['yes'],
      version: [1, null],
      granted: ['1'],
    })) {
      for (const value of values)
        await refused(invalid(field), 'PATCH', 'workspaces/default', { [field]: value });
    }
    await refused(invalid('models'), 'PATCH', 'workspaces/acme', { models: ['a\u001b'], force: true });
    const messages = async (field: string, value: unknown) =>
      (await call(400, 'PATCH', 'workspaces/default', { [field]: value })).error;
    t.equal(
      await messages('models', ['gone']),
      'models: the manifest has no gone. Set force to true to allow it anyway.',
    );
    t.match(await messages('requests_per_minute', 0), /^requests_per_minute: it must be /);
    for (const amount of ['1e3', '', 1, null, '0', '-0.00']) {
      await refused(invalid('amount'), 'POST', 'workspaces/default/grants', { amount });
    }
    for (const days of ['0', '367', 'x', '-1', '']) {
      await refused(invalid('days'), 'GET', `workspaces/default/usage?days=${days}`);
    }
    await refused(invalid('days'), 'GET', 'workspaces/default/usage?days=1&days=1');
    for (const { path, method } of OPERATOR_API) {
      if (method !== 'GET') continue;
      const route = path.replace('/api/', '').replace('{id}', 'default');
      await refused(invalid('other'), 'GET', `${route}?other=1`);
    }
    t.pass();
  },

  async 'keys: created, used, rolled, revoked, each from the next request on'(t, { call, decide }) {
    await call(201, 'POST', 'workspaces', { id: 'keys' });
    await call(200, 'POST', 'workspaces/keys/grants', { amount: '1' });
    const { key, token } = await call(201, 'POST', 'keys', { workspace: 'keys', expires: '2999-01-31' });
    t.match(token, /^dk_\w{40}$/);
    t.match(key, { id: ID, workspace: 'keys', state: 'live', created: INSTANT, revoked: null });
    t.equal(key.expires, '2999-01-31T23:59:59.999Z');
    const never = await call(201, 'POST', 'keys', { workspace: 'keys', expires: 'never' });
    t.equal(never.key.expires, null);
    t.match((await call(201, 'POST', 'keys', { workspace: 'keys' })).key, { expires: INSTANT });
    t.equal(await decide(token), 200);
    const next = await call(201, 'POST', `keys/${key.id}/roll`);
    t.match(next.key, { id: ID, state: 'live' });
    t.match(next.rolled, { id: key.id, state: 'rolled', rolled_to: next.key.id, expires: INSTANT });
    t.strictSame([await decide(token), await decide(next.token)], [200, 200]);
    t.match(await call(200, 'POST', `keys/${key.id}/revoke`, {}), { state: 'revoked', revoked: INSTANT });
    t.strictSame([await decide(token), await decide(next.token)], [401, 200]);
    const { keys } = await call(200, 'GET', 'keys?workspace=keys');
    t.equal(keys.length, 4);
    t.notMatch(JSON.stringify(keys), /dk_|digest/);
    t.ok((await call(200, 'GET', 'keys')).keys.length > 4);
  },

  async 'keys: what is refused'(t, { call, refused }) {
    const { keys } = await call(200, 'GET', 'keys?workspace=keys');
    const revoked = keys.find(({ state }: { state: string }) => state === 'revoked').id;
    await refused(conflict('id'), 'POST', `keys/${revoked}/roll`);
    for (const action of ['roll', 'revoke']) {
      await refused(missing('id'), 'POST', `keys/key_${'x'.repeat(20)}/${action}`);
      await refused(missing('id'), 'POST', `keys/a%2Fb/${action}`);
      await refused(invalid('id'), 'POST', `keys/%ff/${action}`);
      await refused(invalid('x'), 'POST', `keys/${revoked}/${action}`, { x: 1 });
    }
    await refused(missing('workspace'), 'POST', 'keys', { workspace: 'unknown' });
    await refused(missing('workspace'), 'GET', 'keys?workspace=unknown');
    await refused(invalid('workspace'), 'POST', 'keys', {});
    for (const expires of ['2001-01-01', 'soon', '0', 30, null]) {
      await refused(invalid('expires'), 'POST', 'keys', { workspace: 'keys', expires });
    }
    t.pass();
  },

  async 'a change of credit, budget or limits applies to the next request'(t, { call, decide }) {
    await call(201, 'POST', 'workspaces', { id: 'next' });
    const { token } = await call(201, 'POST', 'keys', { workspace: 'next' });
    const change = (body: object) => call(200, 'PATCH', 'workspaces/next', body);
    t.equal(await decide(token), 402);
    await call(200, 'POST', 'workspaces/next/grants', { amount: '1' });
    t.equal(await decide(token), 200);
    await change({ budget: '0' });
    t.equal(await decide(token), 402);
    await change({ budget: null, models: ['other'], force: true });
    t.equal(await decide(token), 403);
    await change({ models: null, requests_per_minute: 1 });
    t.equal(await decide(token), 429);
    await change({ requests_per_minute: 100 });
    t.equal(await decide(token), 200);
  },

  async 'charges count in balances at once, and in the report of usage'(t, { call, decide }) {
    await call(201, 'POST', 'workspaces', { id: 'paid' });
    await call(200, 'POST', 'workspaces/paid/grants', { amount: '1' });
    const { key, token } = await call(201, 'POST', 'keys', { workspace: 'paid' });
    for (let count = 0; count < 3; count += 1) t.equal(await decide(token), 200);
    const { workspaces } = await call(200, 'GET', 'workspaces');
    const paid = workspaces.find(({ id }: { id: string }) => id === 'paid');
    const show = (query: string): Promise<OperatorResponses['showUsage']> =>
      call(200, 'GET', `workspaces/${query}`);
    const units = (text: string) => Math.round(Number(text) * 1e12);
    const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
    // A day may end meanwhile.
    const { usage, from, to } = await show('paid/usage?days=2');
    for (const row of usage) {
      t.match(row, { key: key.id, key_name: null, model: 'tiny', kind: 'live' });
      t.ok(row.day >= from && row.day <= to);
    }
    t.equal(sum(usage.map(({ requests }) => requests)), 3);
    t.not(paid.charged, '0.00');
    t.equal(units(paid.charged), sum(usage.map(({ amount }) => units(amount))));
    t.equal(paid.charged_this_month, paid.charged);
    t.equal(units(paid.balance) + units(paid.charged), 1e12);
    const today = await show('paid/usage?days=1');
    t.equal(today.from, today.to);
    t.strictSame(
      today.usage,
      usage.filter(({ day }) => day === today.to),
    );
    t.equal(sum((await show('next/usage?days=366')).usage.map(({ requests }) => requests)), 2);
  },

  async 'models and what the server does now'(t, { call, decide }) {
    const { currency, models } = await call(200, 'GET', 'models');
    t.equal(currency, 'GBP');
    t.match(models, [
      {
        id: 'tiny',
        default: true,
        reads_images: false,
        price_class: 'decider-g-12b',
        prices: { live: /^\d+\.\d\d/, batch: /^\d+\.\d\d/ },
        builds: [{ id: 'tiny-20260101', loaded: true, max_options: 130 }],
      },
    ]);
    t.ok(models[0].builds[0].bytes > 0);
    const before: OperatorResponses['showLive'] = await call(200, 'GET', 'live');
    const { token } = await call(201, 'POST', 'keys', { workspace: 'default' });
    t.equal(await decide(token), 200);
    const live: OperatorResponses['showLive'] = await call(200, 'GET', 'live');
    t.match(live, { time: INSTANT, ready: true, reasons: [], devices: [{ device: 'RAM' }], batches: {} });
    const [lane] = live.models[0]?.lanes ?? [];
    t.match(lane, { number: 1, device: 'CPU', wave: { max: 512 }, cells: { max: 8_192 } });
    const wave = lane?.waves.at(-1);
    t.equal(wave?.number, (before.models[0]?.lanes[0]?.waves.at(-1)?.number ?? 0) + 1);
    t.ok(wave !== undefined && wave.tokens > 0 && wave.fill > 0 && wave.fill <= 1 && wave.ms > 0);
    // Calls shortly after each other share a sample.
    await until(async () => (await call(200, 'GET', 'live')).requests.total > before.requests.total);
  },

  async 'batches: without their contents'(t, { url, call, refused }) {
    const { token, key } = await call(201, 'POST', 'keys', { workspace: 'default' });
    const line = {
      custom_id: 'secret-id',
      model: 'tiny',
      state: 'secret-state',
      questions: { q: { type: 'noul' } },
    };
    const submit = async () => {
      const headers = { authorization: `Bearer ${token}` };
      const body = JSON.stringify(line);
      const response = await fetch(`${url}/v1/batches`, { method: 'POST', headers, body });
      t.ok(response.ok);
      return ((await response.json()) as { id: string }).id;
    };
    const ids = [await submit(), await submit()];
    const list = (query: string): Promise<OperatorResponses['listBatches']> =>
      call(200, 'GET', `batches?${query}`);
    await until(async () => (await list('state=done')).batches.length === 2);
    const { batches, more } = await list('');
    t.equal(more, false);
    t.strictSame(batches.map(({ id }) => id).sort(), [...ids].sort());
    t.match(batches[0], {
      workspace: 'default',
      key: key.id,
      state: 'done',
      lines: 1,
      done: 1,
      failed: 0,
      models: ['tiny'],
      created: INSTANT,
      finished: INSTANT,
    });
    t.notMatch(JSON.stringify(batches), 'secret');
    t.match(await list('limit=1'), { batches: { length: 1 }, more: true });
    t.strictSame(await list('state=queued'), { batches: [], more: false });
    t.strictSame(await list('workspace=next'), { batches: [], more: false });
    await refused(missing('workspace'), 'GET', 'batches?workspace=unknown');
    await refused(invalid('state'), 'GET', 'batches?state=open');
    for (const limit of ['0', '1001']) await refused(invalid('limit'), 'GET', `batches?limit=${limit}`);
  },

  async 'errors: the last lines of the log, without their fields'(t, { call, log }) {
    log.info('not an error');
    log.warn({ secret: 'secret' }, 'a warning');
    log.error({ err: new TypeError('secret'), requestId: 'req_1', state: 'secret' }, 'a request failed');
    log.error({ llama: 'secret' });
    const { errors } = await call(200, 'GET', 'errors');
    const [llama, request, warning] = errors;
    t.match(llama, { level: 'error', message: /^llama\.cpp has reported an error/, type: null });
    t.strictSame(request, {
      number: warning.number + 1,
      time: '1970-01-01T00:00:00.000Z',
      level: 'error',
      message: 'a request failed',
      type: 'TypeError',
      request_id: 'req_1',
      reason: null,
    });
    t.match(warning, { level: 'warn', message: 'a warning', type: null, request_id: null });
    t.notMatch(JSON.stringify(errors), 'secret');
  },

  async 'the audit log: the first start, the operator, the command line, a reload'(t, world) {
    const { call, refused, data, reload, settings } = world;
    const environment = { DECIDER_DATA: data };
    t.equal((await runHere(['workspaces', 'budget', 'acme', '3'], environment)).code, 0);
    const newest = async (): Promise<OperatorResponses['listAudit']['entries']> =>
      (await call(200, 'GET', 'audit?limit=1000')).entries;
    await reload(settings);
    await reload({ ...settings, log: { ...settings.log, level: 'error' } });
    await until(async () => (await newest()).filter(({ actor }) => actor === 'server').length === 5);
    const [second, first, cli, ...before] = await newest();
    t.match(second, { actor: 'server', action: 'settings.reload', time: INSTANT });
    t.strictSame(second?.changes, [{ field: 'log.level', before: '"info"', after: '"error"' }]);
    t.match(first, { actor: 'server', action: 'settings.reload', changes: [] });
    t.match(cli, {
      actor: `cli:${userInfo().username}`,
      action: 'workspace.change',
      workspace: 'acme',
      changes: [{ field: 'budget', before: 'none', after: '3.00' }],
    });
    t.strictSame(
      before.slice(-3).map(({ number, actor, action }) => [number, actor, action]),
      [
        [3, 'server', 'key.create'],
        [2, 'server', 'workspace.credit'],
        [1, 'server', 'workspace.create'],
      ],
    );
    const own = before.filter(({ actor }) => actor === OPERATOR);
    t.equal(own.length, before.length - 3);
    t.strictSame([...new Set(own.map(({ action }) => action))].sort(), [
      'key.create',
      'key.revoke',
      'key.roll',
      'workspace.change',
      'workspace.create',
      'workspace.credit',
    ]);
    t.notMatch(JSON.stringify(before), /dk_/);
    const page = await call(200, 'GET', 'audit?limit=2&before=4');
    t.match(page, { entries: [{ number: 3 }, { number: 2 }], more: true });
    t.match(await call(200, 'GET', 'audit?before=2'), { entries: [{ number: 1 }], more: false });
    for (const name of ['workspace', 'key', 'action'])
      await refused(invalid(name), 'GET', `audit?${name}=a%00`);
    for (const limit of ['0', '1001', 'x']) await refused(invalid('limit'), 'GET', `audit?limit=${limit}`);
    t.match(await call(200, 'GET', `audit?before=${Number.MAX_SAFE_INTEGER}&limit=1`), { more: true });
    for (const before of ['0', '9007199254740993', '9'.repeat(17)]) {
      await refused(invalid('before'), 'GET', `audit?before=${before}`);
    }
  },

  async 'a damaged account: nothing is changed'(t, { call, refused, data }) {
    await call(201, 'POST', 'workspaces', { id: 'damaged' });
    const store = openStore(data);
    t.teardown(() => store.close());
    const write = store.table('accounts').write(['damaged'], null);
    await store.write([{ ...write, value: Buffer.from('{}') }]);
    const { entries } = await call(200, 'GET', 'audit?limit=1');
    const unavailable = [503, 'data_unavailable', null] as const;
    await refused(unavailable, 'POST', 'workspaces/damaged/grants', { amount: '1' });
    await refused(unavailable, 'PATCH', 'workspaces/damaged', { budget: '1' });
    await refused(unavailable, 'GET', 'workspaces');
    t.strictSame((await call(200, 'GET', 'audit?limit=1')).entries, entries);
    await store.write([write]);
    t.match(await call(200, 'POST', 'workspaces/damaged/grants', { amount: '1' }), { granted: '1.00' });
  },
};

operatorTests('the interface of the operator, in one server', SCENARIOS);
