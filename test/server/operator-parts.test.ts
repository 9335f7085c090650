import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize } from 'node:v8';
import { test } from 'tap';
import type { ListedWorkspace } from '../../src/access/index.js';
import { ApiError } from '../../src/api/index.js';
import { nextTurn } from '../../src/base/index.js';
import type { Catalog } from '../../src/engine/index.js';
import { Activity, SAMPLE_MS_MIN } from '../../src/server/operator/api/activity.js';
import { recordHandlers } from '../../src/server/operator/api/records.js';
import { WAVES_KEPT, WaveHistory } from '../../src/server/operator/api/wave-history.js';
import { USAGE_DAYS_MAX, workspaceHandlers } from '../../src/server/operator/api/workspaces.js';
import { NAME_CHARACTERS_MAX, readFields, readQuery } from '../../src/server/operator/operator-fields.js';
import { refusalOf } from '../../src/server/operator/refusal.js';
import { RequestHistory } from '../../src/server/request-history.js';
import { AdministrationThread } from '../../src/storage/administration/administration-thread.js';
import { openStore } from '../../src/storage/folder/index.js';
import type { Storage } from '../../src/storage/storage.js';
import { createKey, createWorkspace } from '../support/access/folder-changes.js';
import { opened } from '../support/access/opened.js';
import { child } from '../support/child.js';
import { fakeClock } from '../support/fake-clock.js';

const CHILD = new URL('../support/store/child.js', import.meta.url);

const THREAD = new URL('../../src/storage/folder/administration/thread.js', import.meta.url);

test(`${WAVES_KEPT} waves of each lane are kept; one more removes the oldest`, async (t) => {
  const history = new WaveHistory();
  const wave = { tokens: 1, fill: 0.5, ms: 2 };
  t.strictSame(history.of(1), []);
  for (let number = 1; number <= WAVES_KEPT; number += 1) history.add(1, wave);
  history.add(2, wave);
  t.strictSame(history.of(2), [{ number: 1, ...wave }]);
  t.equal(history.of(1).length, WAVES_KEPT);
  t.match(history.of(1)[0], { number: 1 });
  history.add(1, wave);
  t.equal(history.of(1).length, WAVES_KEPT);
  t.match([history.of(1)[0], history.of(1).at(-1)], [{ number: 2 }, { number: WAVES_KEPT + 1 }]);
  history.forget(1);
  t.strictSame(history.of(1), []);
});

test('requests per second are those since the sample before; calls shortly after it get the same', (t) => {
  const clock = fakeClock();
  const history = new RequestHistory(clock);
  const activity = new Activity(clock, history);
  t.teardown(() => activity.stop());
  const entry = { method: 'POST', path: '/v1/decide', status: 200, durationMs: 1, workspace: 'w' };
  const count = (requests: number) => {
    for (let at = 0; at < requests; at += 1) {
      history.count(entry);
      history.count({ ...entry, status: 400 });
      // What consoles and probes read.
      for (const path of ['/v1/limits', '/v1/batches', '/health'])
        history.count({ ...entry, method: 'GET', path });
    }
  };
  count(5);
  clock.advance(4_000);
  t.match(activity.read(), { requests: { total: 10, per_second: 2.5 }, window_seconds: 4 });
  count(5);
  clock.advance(SAMPLE_MS_MIN - 1);
  t.match(activity.read(), { requests: { total: 10, per_second: 2.5 }, window_seconds: 4 });
  clock.advance(1);
  t.match(activity.read(), { requests: { total: 20, per_second: 20 }, window_seconds: 0.5 });
  t.end();
});

const ALL = { descending: false, offset: 0, limit: Number.POSITIVE_INFINITY };
const EMPTY = { parts: [], total: 0, offset: 0, next: null, previous: null };
const ALL_KEYS = { ...ALL, working: false };

test('a damaged value, and a server that stops, make the data folder unavailable', async (t) => {
  const folder = t.testdir();
  const store = openStore(folder);
  t.teardown(() => store.close());
  const administration = new AdministrationThread(THREAD, folder, fakeClock());
  t.strictSame(await administration.read('listWorkspaces', ALL), EMPTY);
  store.change(() => createWorkspace(store, fakeClock(), 'w'));
  const { table, key } = store.table('workspaces').write(['w'], null);
  await store.write([{ table, key, value: Buffer.from('{}') }]);
  await t.rejects(administration.read('listWorkspaces', ALL), {
    name: 'DataUnavailable',
    message: /^The value w of the table workspaces is damaged\.$/,
  });
  await t.rejects(administration.change('server', 'grantCredit', 'x', 1n), {
    name: 'AccessError',
    argument: 'workspace',
    refusal: 'not_found',
  });
  await administration.close();
  await t.rejects(administration.read('listKeys', ALL_KEYS), { name: 'DataUnavailable' });
  t.equal(USAGE_DAYS_MAX, 366);
});

test('a folder that cannot be opened makes the data folder unavailable', async (t) => {
  const folder = t.testdir({ file: '' });
  const administration = new AdministrationThread(THREAD, join(folder, 'file'), fakeClock());
  t.teardown(() => administration.close());
  await t.rejects(administration.change('x', 'createWorkspace', 'w'), {
    name: 'DataUnavailable',
    message: /^The data folder .* cannot be used/,
  });
});

test('a change does not read other rows; one that reads a damaged row changes nothing', async (t) => {
  const folder = t.testdir();
  const store = openStore(folder);
  t.teardown(() => store.close());
  const administration = new AdministrationThread(THREAD, folder, fakeClock());
  t.teardown(() => administration.close());
  const damage = async (...[name, ...parts]: ['keys' | 'grants', ...(string | number)[]]) => {
    const { table, key } = store.table(name).write(parts, null);
    await store.write([{ table, key, value: Buffer.from('{}') }]);
  };
  const entries = async () => (await administration.read('listAudit', 9)).entries.length;
  const other = store.change(() => {
    createWorkspace(store, fakeClock(), 'other');
    return createKey(store, fakeClock(), 'other').key.id;
  });
  await damage('keys', other);
  await t.rejects(administration.read('listKeys', ALL_KEYS), { name: 'DataUnavailable' });
  t.match(await administration.change('x', 'createWorkspace', 'w'), { id: 'w', granted: 0n });
  t.match(await administration.change('x', 'grantCredit', 'w', 5n), { granted: 5n });
  const change = { budget: 7n };
  t.match(await administration.change('x', 'changeWorkspace', 'w', change), { granted: 5n, budget: 7n });
  const { key } = await administration.change('x', 'createKey', 'w');
  const next = await administration.change('x', 'rollKey', key.id);
  t.match(next.rolled, { id: key.id, rolledTo: next.key.id });
  t.equal(await entries(), 7);
  await damage('grants', 'w', 0);
  await t.rejects(administration.change('x', 'grantCredit', 'w', 5n), {
    name: 'DataUnavailable',
  });
  store.refresh();
  t.match(store.table('workspaces').get('w'), { granted: '5' });
  t.equal(await entries(), 7);
});

test('lists come as JSON, or in parts of at most 32 items, so that a long one does not block the main thread', async (t) => {
  const folder = t.testdir();
  const store = openStore(folder);
  t.teardown(() => store.close());
  const clock = fakeClock();
  const ids = Array.from({ length: 65 }, (_, index) => `w${100 + index}`);
  store.change(() => {
    for (const id of ids) createWorkspace(store, clock, id);
    for (const id of ids) createKey(store, clock, id);
  });
  const administration = new AdministrationThread(THREAD, folder, clock);
  t.teardown(() => administration.close());
  const { parts, total } = await administration.read('listWorkspaces', ALL);
  t.equal(total, ids.length);
  const lists = parts.map((part) => deserialize(part) as ListedWorkspace[]);
  t.strictSame(
    lists.map(({ length }) => length),
    [32, 32, 1],
  );
  t.strictSame(
    lists.flat().map(({ workspace, workingKeys }) => [workspace.id, workingKeys]),
    ids.map((id) => [id, 1]),
  );
  const keys = await administration.read('listKeys', ALL_KEYS);
  t.ok(keys instanceof Uint8Array);
  t.equal(JSON.parse(Buffer.from(keys).toString()).keys.length, ids.length);
  const task = { workspace: 'w100', from: '2026-01-01', to: '2026-01-02', currency: 'GBP' };
  const usage = await administration.read('showUsage', task);
  t.ok(usage instanceof Uint8Array);
  t.match(JSON.parse(Buffer.from(usage).toString()), { currency: 'GBP', usage: [] });
});

test('a change that waits for another process does not block the main thread', async (t) => {
  const folder = t.testdir({ data: {} });
  const data = join(folder, 'data');
  const store = openStore(data);
  t.teardown(() => store.close());
  const administration = new AdministrationThread(THREAD, data, fakeClock());
  t.teardown(() => administration.close());
  t.strictSame(await administration.read('listWorkspaces', ALL), EMPTY);
  const other = child(t, CHILD, [data]);
  t.equal(await other.line(), 'open');
  const end = join(folder, 'end');
  t.equal(await other.ask(`lock ${end}`), 'locked');
  let ended = false;
  const change = administration.change('server', 'createWorkspace', 'w').finally(() => {
    ended = true;
  });
  for (let turn = 0; turn < 100; turn += 1) await nextTurn();
  store.refresh();
  t.equal(store.table('workspaces').get('w'), undefined);
  t.notOk(ended);
  writeFileSync(end, '');
  t.match(await change, { id: 'w' });
  store.refresh();
  t.match(store.table('workspaces').get('w'), { id: 'w' });
});

test(`the first ${NAME_CHARACTERS_MAX} characters of a field's name are repeated`, async (t) => {
  for (const characters of [NAME_CHARACTERS_MAX, NAME_CHARACTERS_MAX + 1]) {
    const name = 'x'.repeat(characters);
    const field = new RegExp(`^x{${NAME_CHARACTERS_MAX}}$`);
    const message = new RegExp(`^x{${NAME_CHARACTERS_MAX}} is not a `);
    t.throws(() => readFields({ [name]: 1 }, {}, {}), { message, field });
    t.throws(() => readQuery(new URLSearchParams({ [name]: '1' })), { message, field });
  }
});

test('a workspace shows what is reserved; without a disk there is no report of usage', async (t) => {
  const { store, access, clock, workspace, reserve } = opened(t);
  const administration = new AdministrationThread(THREAD, store.folder, clock);
  t.teardown(() => administration.close());
  const { token } = workspace('w', 10n ** 12n);
  let isFull = false;
  const parts = {
    access: Object.assign(access, {
      flush: async () => {
        if (isFull) throw new Error('The disk is full.');
      },
    }),
    administration,
    clock,
  } as unknown as Storage;
  const { listWorkspaces, showUsage } = workspaceHandlers(parts, () => ({}) as Catalog, 'GBP');
  const { listBatches } = recordHandlers(parts, () => Promise.reject(new Error('unused')), undefined);
  const call = { id: 'w', query: new URLSearchParams(), body: {}, actor: 'operator:127.0.0.1' };
  const json = (answer: unknown) =>
    answer instanceof Uint8Array ? JSON.parse(Buffer.from(answer).toString()) : answer;
  const held = reserve(token, 250, 10n ** 9n);
  t.match(json(await listWorkspaces(call)), { workspaces: [{ reserved: '0.25', balance: '1.00' }] });
  held.release();
  t.match(json(await listWorkspaces(call)), { workspaces: [{ reserved: '0.00', balance: '1.00' }] });
  t.match(json(await showUsage(call)), { usage: [] });
  isFull = true;
  await t.rejects(async () => showUsage(call), { name: 'DataUnavailable', message: 'The disk is full.' });
  t.strictSame(json(await listBatches(call)), { batches: [], more: false }, 'as they were before');
});

test('on a slow database, the routes of workspaces are refused with 503 and change nothing', async (t) => {
  const { store, access, clock, workspace } = opened(t);
  const administration = new AdministrationThread(THREAD, store.folder, clock);
  t.teardown(() => administration.close());
  workspace('w', 10n ** 12n);
  const slow = async () => {
    throw new ApiError('overloaded', 'The database did not answer in time.', { retryAfterSeconds: 1 });
  };
  const parts = {
    access: Object.assign(access, { balance: slow }),
    administration,
    clock,
  } as unknown as Storage;
  const handlers = workspaceHandlers(parts, () => ({}) as Catalog, 'GBP');
  const call = { id: 'w', query: new URLSearchParams(), actor: 'operator:127.0.0.1' };
  for (const [name, body] of [
    ['grantCredit', { amount: '5.00' }],
    ['changeWorkspace', { budget: '5.00' }],
    ['listWorkspaces', {}],
  ] as const) {
    const error = await Promise.resolve(handlers[name]({ ...call, body })).catch(
      (refused: unknown) => refused,
    );
    t.match(refusalOf(error, 'id'), { status: 503, type: 'data_unavailable' }, name);
  }
  store.refresh();
  t.match(store.table('workspaces').get('w'), { granted: String(10n ** 12n), budget: null });
});
