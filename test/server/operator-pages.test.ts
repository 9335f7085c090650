import { test } from 'tap';
import { openStore } from '../../src/storage/folder/index.js';
import { createKey, createWorkspace, grantCredit, revokeKey } from '../support/access/folder-changes.js';
import { fakeClock } from '../support/fake-clock.js';
import { operatorSend, operatorSettings } from '../support/operator.js';
import { dataFolder, startTestServer } from '../support/server.js';

test('pages of workspaces and keys', async (t) => {
  const data = dataFolder(t);
  const [store, clock] = [openStore(data), fakeClock(Date.now())];
  store.change(() => {
    for (let at = 10; at < 35; at += 1) {
      createWorkspace(store, clock, `w${at}`);
      grantCredit(store, clock, `w${at}`, BigInt(at) * 10n ** 12n);
    }
  });
  const keys = [1, 2, 3].map(() => createKey(store, clock, 'w12').key.id);
  revokeKey(store, clock, keys[0] as string);
  store.close();
  const environment = { ...(await operatorSettings()), DECIDER_DATA: data };
  const { operatorUrl } = await startTestServer(t, environment);
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is what the test is about
  const get = async (path: string, status = 200): Promise<any> => {
    const response = await operatorSend(operatorUrl as string, 'GET', `/api/${path}`);
    t.equal(response.status, status, path);
    return response.json();
  };
  const names = async (query: string) => {
    const { workspaces, total } = await get(`workspaces?${query}`);
    return [workspaces.map(({ id }: { id: string }) => id).join(' '), total];
  };
  t.equal((await get('workspaces')).workspaces.length, 25);
  t.strictSame(await names('search=W3&sort=-granted&limit=2'), ['w34 w33', 5]);
  t.strictSame(await names('search=w3&sort=id&limit=2&offset=4'), ['w34', 5]);
  t.strictSame(await names('sort=-working_keys&limit=1'), ['w12', 25]);
  const { keys: working, total } = await get('keys?state=working&workspace=w12&sort=-created&limit=1');
  t.equal(total, 2);
  t.equal(working.length, 1);
  t.match(await get(`keys?search=${keys[0]}`), { total: 1, keys: [{ id: keys[0], state: 'revoked' }] });
  for (const wrong of ['limit=0', 'limit=1001', 'offset=-1', 'sort=charged', `search=${'x'.repeat(101)}`]) {
    t.match(await get(`workspaces?${wrong}`, 400), { field: wrong.split('=')[0] });
    t.match(await get(`keys?${wrong}`, 400), { field: wrong.split('=')[0] });
  }
  t.match(await get('keys?state=live', 400), { field: 'state' });
  t.match(await get('workspaces/w12'), { id: 'w12', currency: 'GBP', working_keys: 2 });
  t.match(await get('workspaces/gone', 404), { type: 'not_found', field: 'id' });
  await get(`workspaces?limit=1000&offset=10000000&search=${'x'.repeat(100)}`);
});

test('pages by cursor go on where the last one ended, whatever has changed', async (t) => {
  const data = dataFolder(t);
  const [store, clock] = [openStore(data), fakeClock(Date.now())];
  store.change(() => {
    for (let at = 10; at < 20; at += 1) createWorkspace(store, clock, `w${at}`);
  });
  const keys = ['first', 'second', 'third'].map(() => createKey(store, clock, 'w12').key.id).sort();
  store.close();
  const environment = { ...(await operatorSettings()), DECIDER_DATA: data };
  const { operatorUrl } = await startTestServer(t, environment);
  const send = (method: string, path: string, body?: object) =>
    operatorSend(operatorUrl as string, method, `/api/${path}`, body);
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is what the test is about
  const get = async (path: string): Promise<any> => (await send('GET', path)).json();
  const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id).join(' ');
  const pages = 'workspaces?sort=-name&limit=4';
  const first = await get(pages);
  t.match(first, { total: 10, offset: 0, previous: null, next: String });
  t.equal(ids(first.workspaces), 'w19 w18 w17 w16');
  await send('POST', 'workspaces', { id: 'w30' });
  await send('PATCH', 'workspaces/w18', { name: 'renamed' });
  await send('PATCH', 'workspaces/w16', { name: 'renamed too' });
  const second = await get(`${pages}&after=${first.next}`);
  t.match(second, { total: 11, offset: 3, next: String, previous: String });
  t.equal(ids(second.workspaces), 'w15 w14 w13 w12', 'none is repeated or left out');
  const back = await get(`${pages}&before=${second.previous}`);
  t.match(back, { total: 11, offset: 0, previous: null, next: String });
  t.equal(ids(back.workspaces), 'w30 w19 w17', 'only those that are not on the second page');
  const last = await get(`${pages}&after=${second.next}`);
  t.match(last, { total: 11, offset: 7, next: null, previous: String });
  t.equal(ids(last.workspaces), 'w11 w10 w16 w18', 'renamed ones have their new places');
  const working = 'keys?state=working&workspace=w12&sort=created&limit=2';
  const two = await get(working);
  t.equal(ids(two.keys), keys.slice(0, 2).join(' '));
  await send('POST', `keys/${keys[2]}/revoke`, {});
  t.strictSame(await get(`${working}&after=${two.next}`), {
    total: 2,
    offset: 2,
    next: null,
    previous: null,
    keys: [],
  });
  t.match(await get(`keys?workspace=w12&sort=created&after=${two.next}`), { keys: [{ id: keys[2] }] });
  for (const list of ['keys', 'workspaces'])
    for (const [query, field] of [
      [`sort=name&after=${two.next}`, 'after'],
      ['after=w12', 'after'],
      ['before=', 'before'],
      [`sort=created&after=${two.next}&before=${two.next}`, 'before'],
      [`sort=created&before=${two.next}&offset=0`, 'offset'],
      [`sort=created&after=${two.next}&limit=1001`, 'limit'],
    ] as const) {
      const response = await send('GET', `${list}?${query}`);
      t.equal(response.status, 400, query);
      t.match(await response.json(), { type: 'invalid_request', field }, query);
    }
});
