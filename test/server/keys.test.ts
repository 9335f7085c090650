import { type Test, test } from 'tap';
import { systemClock } from '../../src/base/index.js';
import type { TransportName } from '../../src/http/index.js';
import { openStore, reconcile, type Store } from '../../src/storage/folder/index.js';
import {
  changeWorkspace,
  createKey,
  createWorkspace,
  grantCredit,
  revokeKey,
} from '../support/access/folder-changes.js';
import { TRANSPORTS } from '../support/http/serving.js';
import { dataFolder, startTestServer } from '../support/server.js';
import { shared } from '../support/shared.js';

const BODY = JSON.stringify({ state: 'x', questions: { q: { type: 'noul', instructions: 'Is it?' } } });

/** A server, its store as another process would open it, and requests with any token. */
async function start(t: Test, transport: TransportName) {
  const data = dataFolder(t);
  const server = await startTestServer(t, { DECIDER_DATA: data, DECIDER_HTTP_TRANSPORT: transport });
  const store = openStore(data);
  t.teardown(() => store.close());
  const ask = (token: string | null, body = BODY) =>
    fetch(`${server.url}/v1/decide`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body,
    });
  return { ...server, store, ask };
}

/** A workspace with credit for the given number of tokens, and a key. */
function workspace(store: Store, id: string, tokens = 1_000_000) {
  createWorkspace(store, systemClock, id);
  grantCredit(store, systemClock, id, BigInt(tokens) * 1_500n);
  return createKey(store, systemClock, id);
}

const typeOf = async (response: Response) => ((await response.json()) as { type: string }).type;

for (const transport of TRANSPORTS) {
  const server = shared((t) => start(t, transport));

  test(`contract 5 rules 1, 2 and 3: a token, or 401 (${transport})`, async (t) => {
    const { url, store, ask } = await server();
    const { key, token } = workspace(store, 'tokens');
    const past = createKey(store, { ...systemClock, now: () => 0 }, 'tokens', 1);
    for (const wrong of [null, 'x', `dk_${'a'.repeat(40)}`, token.slice(0, -1), past.token]) {
      const response = await ask(wrong);
      t.equal(response.status, 401, String(wrong === null));
      t.equal(response.headers.get('www-authenticate'), 'Bearer');
      t.notOk(response.headers.has('service-key-id'));
      t.equal(await typeOf(response), 'unauthorized');
    }
    for (const path of ['/v1/models', '/health']) t.equal((await fetch(url + path)).status, 200);
    t.equal((await ask(token)).status, 200);
    revokeKey(store, systemClock, key.id);
    t.equal((await ask(token)).status, 401, 'on the very next request');
  });

  test(`contract 4.1: the key’s headers on every authenticated response (${transport})`, async (t) => {
    const { store, ask } = await server();
    workspace(store, 'headers');
    const day = createKey(store, systemClock, 'headers', Date.parse('2999-12-31T23:59:59.999Z'));
    const never = createKey(store, systemClock, 'headers', null);
    for (const [{ key, token }, expires] of [
      [day, '2999-12-31'],
      [never, 'never'],
    ] as const) {
      for (const body of [BODY, '{', '{}']) {
        const response = await ask(token, body);
        t.equal(response.headers.get('service-key-id'), key.id);
        t.equal(response.headers.get('service-key-expires'), expires);
        await response.text();
      }
    }
  });

  test(`contract 5 rule 9: a model the workspace may not use (${transport})`, async (t) => {
    const { store, ask } = await server();
    const { token } = workspace(store, 'models');
    changeWorkspace(store, systemClock, 'models', { models: ['another'] });
    const response = await ask(token);
    t.equal(response.status, 403);
    t.equal(await typeOf(response), 'model_not_allowed');
    changeWorkspace(store, systemClock, 'models', { models: ['tiny'] });
    t.equal((await ask(token)).status, 200);
  });

  test(`credit for exactly N concurrent requests answers N; a top-up resumes at once (${transport})`, async (t) => {
    const { store, ask } = await server();
    const { token: rich } = workspace(store, 'rich');
    const { usage } = (await (await ask(rich)).json()) as { usage: { input_tokens: number } };
    const { token } = workspace(store, 'poor', 7 * usage.input_tokens);
    const all = await Promise.all(Array.from({ length: 30 }, () => ask(token)));
    t.equal(all.filter(({ status }) => status === 200).length, 7);
    t.equal(all.filter(({ status }) => status === 402).length, 23);
    const paused = await ask(token);
    t.equal(paused.status, 402);
    t.equal(await typeOf(paused), 'out_of_credit');
    t.equal((await ask(token, 'not JSON')).status, 402, 'a paused key is told before its body is read');
    grantCredit(store, systemClock, 'poor', 10n ** 12n);
    t.equal((await ask(token)).status, 200);
    changeWorkspace(store, systemClock, 'poor', { budget: 1n });
    t.equal(await typeOf(await ask(token)), 'budget_exceeded');
    changeWorkspace(store, systemClock, 'poor', { budget: null });
    t.equal((await ask(token)).status, 200);
  });

  test(`contract 8: exactly the limit of requests per minute and key (${transport})`, async (t) => {
    const { store, ask } = await server();
    const one = workspace(store, 'limits');
    const other = createKey(store, systemClock, 'limits');
    changeWorkspace(store, systemClock, 'limits', { requestsPerMinute: 5 });
    const all = await Promise.all(Array.from({ length: 9 }, () => ask(one.token)));
    t.equal(all.filter(({ status }) => status === 200).length, 5);
    for (const refused of all.filter(({ status }) => status !== 200)) {
      t.equal(refused.status, 429);
      t.match(refused.headers.get('retry-after'), /^([1-9]|[1-5]\d|60)$/);
      t.equal(await typeOf(refused), 'rate_limited');
    }
    t.equal((await ask(other.token)).status, 200, 'another key has its own');
    changeWorkspace(store, systemClock, 'limits', { bytesPerMinute: 2 * BODY.length });
    t.equal((await ask(other.token)).status, 200, 'as many bytes as it may');
    t.equal((await ask(other.token, ' ')).status, 429, 'and one more');
  });

  test(`a refused request costs nothing (${transport})`, async (t) => {
    const { stop, store, ask } = await server();
    const { token } = workspace(store, 'refused');
    for (const body of ['{', '{}', JSON.stringify({ state: 'x', questions: {} })]) await ask(token, body);
    await stop();
    const { books, problems } = reconcile(store);
    t.strictSame(problems, []);
    t.equal(books.find(({ workspace }) => workspace === 'refused')?.charged, 0n);
  });
}
