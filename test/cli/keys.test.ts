import { test } from 'tap';
import { endOfNextDay } from '../../src/access/dates.js';
import { listKeys } from '../../src/storage/folder/administration/rows.js';
import { books } from '../support/books.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

async function withWorkspace(t: Parameters<typeof books>[0]) {
  const all = books(t);
  await all.json('workspaces', 'create', 'default');
  const create = (...args: string[]) => all.json('keys', 'create', '--workspace', 'default', ...args);
  return { ...all, create };
}

test('keys create: the token once, as text and as JSON', async (t) => {
  const { create, run, store } = await withWorkspace(t);
  const key = await create();
  t.same(Object.keys(key), ['id', 'token', 'workspace', 'name', 'expires']);
  t.match(key, { id: /^key_[A-Za-z0-9]{20}$/, token: /^dk_[A-Za-z0-9]{40}$/, workspace: 'default' });
  store.changes();
  const [row] = listKeys(store);
  t.equal(Date.parse(key.expires) - (row?.created ?? 0), 365 * DAY_MS);
  const { stdout } = await run('keys', 'create', '--workspace', 'default', '--expires', 'never');
  t.match(stdout, /^token: dk_\w{40}\nid: +key_\w{20}\nworkspace: default\nexpires: +never$/);
  t.notMatch((await run('keys', 'list', '--json')).stdout, /dk_/);
});

test('keys create: never, days, and a day', async (t) => {
  const { create, mistake, store } = await withWorkspace(t);
  t.equal((await create('--expires', 'never')).expires, null);
  t.equal((await create('--expires', '2999-12-31')).expires, '2999-12-31T23:59:59.999Z');
  const { id, expires } = await create('--expires', '30');
  store.changes();
  const row = listKeys(store).find((key) => key.id === id);
  t.equal(Date.parse(expires) - (row?.created ?? 0), 30 * DAY_MS);
  for (const when of ['0', '2999-02-30']) {
    await mistake(
      /^expires: ".*" is not never, /,
      'keys',
      'create',
      '--workspace',
      'default',
      '--expires',
      when,
    );
  }
  await mistake(
    /^expires: 2020-01-31 is in the past\.$/m,
    'keys',
    'create',
    '--workspace=default',
    '--expires=2020-01-31',
  );
  await mistake(/^workspace: other does not exist\.$/m, 'keys', 'create', '--workspace', 'other');
});

test('keys list, roll, revoke', async (t) => {
  const { create, json, run, mistake } = await withWorkspace(t);
  await json('workspaces', 'create', 'other');
  const first = await create();
  const before = Date.now();
  const second = await json('keys', 'roll', first.id);
  const untils = [before, Date.now()].map((now) => new Date(endOfNextDay(now)).toISOString());
  t.same(Object.keys(second), ['id', 'token', 'workspace', 'name', 'expires', 'rolled']);
  t.equal(second.rolled.id, first.id);
  t.ok(untils.includes(second.rolled.expires), second.rolled.expires);
  t.not(second.token, first.token);
  await mistake(new RegExp(`^key: ${first.id} was already rolled to ${second.id}`), 'keys', 'roll', first.id);
  const revoked = await json('keys', 'revoke', second.id);
  t.match(revoked, { id: second.id, state: 'revoked', revoked: /Z$/ });
  t.same(await json('keys', 'revoke', second.id), revoked, 'again changes nothing');
  await mistake(/^key: key_\w+ is revoked; create a new one instead\.$/m, 'keys', 'roll', second.id);
  const rows = await json('keys', 'list', '--workspace', 'default');
  t.match(rows, [
    { id: first.id, workspace: 'default', state: 'rolled', revoked: null, rolled_to: second.id },
    { id: second.id, workspace: 'default', state: 'revoked', rolled_to: null },
  ]);
  t.same(await json('keys', 'list', '--workspace', 'other'), []);
  const lines = (await run('keys', 'list')).stdout.split('\n');
  t.match(lines[0], /^key +workspace +name +state +created +expires +last used$/);
  t.match(lines[1], /^key_\w{20} +default +rolled +\d{4}-\S+ \S+Z +\d{4}-\S+ \S+Z +unknown$/);
  const { stdout } = await run('keys', 'roll', (await create()).id);
  t.match(stdout, /^token: dk_\w{40}$/m);
  t.match(stdout, /^key_\w{20} works until \d{4}-\d\d-\d\d 23:59:59Z\.$/m);
});

test('keys rename, and when a key was last used', async (t) => {
  const { create, json, run, mistake, store } = await withWorkspace(t);
  const key = await create('--name', 'nightly "job"');
  t.equal(key.name, 'nightly "job"');
  await store.write([store.table('key_uses').write([key.id], { used: Date.parse('2026-06-15T12:00:00Z') })]);
  t.match(await json('keys', 'list'), [{ name: 'nightly "job"', last_used: '2026-06-15T12:00:00.000Z' }]);
  t.match((await run('keys', 'list')).stdout, /default +nightly "job" +live .* 2026-06-15 12:00Z$/m);
  t.match(await json('keys', 'rename', key.id, 'evening'), { id: key.id, name: 'evening', state: 'live' });
  t.match((await run('keys', 'rename', key.id, 'night')).stdout, /^key_\w+ is named night\.$/m);
  t.equal((await json('keys', 'roll', key.id)).name, 'night');
  t.equal((await json('keys', 'rename', key.id, '')).name, null);
  for (const name of ['x'.repeat(65), 'a\u202eb', ' x'])
    await mistake(/^name: it must be one line of 1 to 64 characters/, 'keys', 'rename', key.id, name);
});

test('keys: ids and workspaces that are not there', async (t) => {
  const { mistake } = await withWorkspace(t);
  for (const id of ['key_x', 'x'.repeat(5_000)]) {
    await mistake(/^key: .* does not exist/, 'keys', 'roll', id);
    await mistake(/^key: .* does not exist/, 'keys', 'revoke', id);
  }
  await mistake(/^workspace: other does not exist\.$/m, 'keys', 'list', '--workspace', 'other');
});
