import { test } from 'tap';
import { pageOf } from '../../src/storage/administration/page.js';
import { openStore } from '../../src/storage/folder/index.js';
import { createKey, createWorkspace, grantCredit, revokeKey } from '../support/access/folder-changes.js';
import { fakeClock } from '../support/fake-clock.js';
import { operatorSend, operatorSettings } from '../support/operator.js';
import { dataFolder, startTestServer } from '../support/server.js';

test('a page of a list: search, order, offset and limit', async (t) => {
  const items = ['b1', 'a1', 'B2', 'a'].map((id, at) => ({ id, at }));
  const ids = (page: Parameters<typeof pageOf>[1]) => {
    const fields = { id: (item: (typeof items)[number]) => item.id };
    const { items: found, total } = pageOf(items, page, ({ id }) => [id], fields);
    return [found.map(({ id }) => id).join(' '), total];
  };
  t.strictSame(ids({}), ['b1 a1 B2 a', 4]);
  t.strictSame(ids({ search: 'B' }), ['b1 B2', 2]);
  t.strictSame(ids({ search: 'a' }), ['a a1', 2], 'an equal one comes first');
  t.strictSame(ids({ search: '' }), ['b1 a1 B2 a', 4]);
  t.strictSame(ids({ sort: 'id' }), ['B2 a a1 b1', 4]);
  t.strictSame(ids({ sort: '-id', limit: 2 }), ['b1 a1', 4]);
  t.strictSame(ids({ sort: '-id', limit: 2, offset: 3 }), ['B2', 4]);
  t.strictSame(ids({ offset: 9 }), ['', 4]);
});

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
  await get(`workspaces?limit=1000&offset=10000000&search=${'x'.repeat(100)}`);
});
