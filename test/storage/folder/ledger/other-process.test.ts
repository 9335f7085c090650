import { test } from 'tap';
import { DEFAULT_WORKSPACE, type NewKey } from '../../../../src/access/index.js';
import { systemClock } from '../../../../src/base/index.js';
import { FolderAccess } from '../../../../src/storage/folder/ledger/folder-access.js';
import { createKey, createWorkspace } from '../../../support/access/folder-changes.js';
import { thrown } from '../../../support/access/opened.js';
import { books } from '../../../support/books.js';
import { dataFolder, startTestServer } from '../../../support/server.js';

const BODY = { state: 'x', questions: { q: { type: 'noul', instructions: 'Is it?' } } };

test('two revocations by the command line, each from the very next request to a running server', async (t) => {
  const folder = dataFolder(t);
  const { json, store } = books(t, {}, folder);
  const server = await startTestServer(t, { DECIDER_DATA: `${folder}/data` });
  const ask = async ({ token }: NewKey) => {
    const headers = { ...server.headers, authorization: `Bearer ${token}` };
    const body = JSON.stringify(BODY);
    const response = await fetch(`${server.url}/v1/decide`, { method: 'POST', headers, body });
    const { type } = (await response.json()) as { type?: string };
    return `${response.status} ${type ?? ''}`;
  };
  const create = () => createKey(store, systemClock, DEFAULT_WORKSPACE);
  const [first, second, third] = [create(), create(), create()];
  for (const key of [first, second, third]) t.equal(await ask(key), '200 ');
  await json('keys', 'revoke', first.key.id);
  t.equal(await ask(first), '401 unauthorized');
  t.equal(await ask(second), '200 ');
  await json('keys', 'revoke', second.key.id);
  t.equal(await ask(second), '401 unauthorized');
  t.equal(await ask(first), '401 unauthorized');
  t.equal(await ask(third), '200 ', 'a key that was not revoked');
});

test('changes by the command line apply from the next request', async (t) => {
  const { json, store } = books(t);
  createWorkspace(store, systemClock, 'acme');
  const { key, token } = createKey(store, systemClock, 'acme');
  const access = new FolderAccess(store, systemClock, (error) => t.fail(String(error)));
  const request = (of: string) =>
    thrown(() => {
      const caller = access.authenticate([`Bearer ${of}`]);
      access.admit(caller, 1);
      access.reserve(caller, { model: 'm', kind: 'live', inputTokens: 1, price: 1n }).release();
    });
  t.equal(request(token), 'out_of_credit');
  await json('workspaces', 'credit', 'acme', '0.000000000001');
  t.equal(request(token), null);
  await json('workspaces', 'budget', 'acme', '0');
  t.equal(request(token), 'budget_exceeded');
  await json('workspaces', 'budget', 'acme', 'none');
  t.equal(request(token), null);
  await json('workspaces', 'limits', 'acme', '--requests-per-minute', '2');
  t.equal(request(token), 'rate_limited', 'the two that were let in before are counted');
  const rolled = await json('keys', 'roll', key.id);
  t.equal(request(rolled.token), null, 'a key that was made a moment ago');
  t.equal(request(token), 'rate_limited', 'the old one works until the next day ends');
});
