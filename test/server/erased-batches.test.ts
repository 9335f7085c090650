import { test } from 'tap';
import { operatorSend, operatorSettings } from '../support/operator.js';
import { startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

const LINE = JSON.stringify({
  custom_id: 'a',
  model: 'tiny',
  state: 'x',
  questions: { q: { type: 'noul' } },
});

test('the operator erases a batch over HTTP: its owner no longer finds it', async (t) => {
  const server = await startTestServer(t, await operatorSettings());
  const operator = async (method: string, path: string) => {
    const response = await operatorSend(server.operatorUrl as string, method, `/api/${path}`);
    // biome-ignore lint/suspicious/noExplicitAny: what comes back is what the test is about
    return { status: response.status, json: (await response.json()) as any };
  };
  const own = (path: string, init: RequestInit = {}) =>
    fetch(`${server.url}/v1/batches${path}`, { ...init, headers: server.headers });
  const submit = async () =>
    ((await (await own('', { method: 'POST', body: LINE })).json()) as { id: string }).id;
  const [erased, kept] = [await submit(), await submit()];
  const list = async () => (await operator('GET', 'batches')).json.batches as { id: string; state: string }[];
  await until(async () => (await list()).filter(({ state }) => state === 'done').length === 2);
  const { status, json } = await operator('POST', `batches/${erased}/erase`);
  t.equal(status, 200);
  t.match(json, { id: erased, workspace: 'default', key: /^key_/, state: 'done' });
  t.equal((await own(`/${erased}/results`)).status, 404, 'at once');
  for (const id of [erased, 'none', `batch_${'x'.repeat(24)}`]) {
    const refused = await operator('POST', `batches/${id}/erase`);
    t.match(refused, { status: 404, json: { type: 'not_found', field: 'id' } }, id);
  }
  await until(async () => (await own(`/${erased}`)).status === 404);
  t.strictSame(
    (await list()).map(({ id }) => id),
    [kept],
  );
  t.equal((await own(`/${kept}/results`)).status, 200);
  const { entries } = (await operator('GET', 'audit?limit=1')).json;
  t.match(entries, [{ action: 'batch.erase', workspace: 'default', actor: 'operator:127.0.0.1' }]);
  t.match(entries[0].changes, [
    { field: 'batch', before: null, after: erased },
    { field: 'state', before: null, after: 'done' },
  ]);
});
