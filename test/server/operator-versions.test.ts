import { test } from 'tap';
import { operatorSend, operatorSettings } from '../support/operator.js';
import { startTestServer } from '../support/server.js';

test('a change for another version of a workspace is refused with what is there now', async (t) => {
  const { operatorUrl } = await startTestServer(t, await operatorSettings());
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is what the test is about
  const call = async (status: number, method: string, path: string, body?: unknown): Promise<any> => {
    const response = await operatorSend(operatorUrl as string, method, `/api/${path}`, body);
    t.equal(response.status, status);
    return response.json();
  };
  const first = await call(201, 'POST', 'workspaces', { id: 'versions' });
  const path = 'workspaces/versions';
  const second = await call(200, 'PATCH', path, { budget: '5', version: first.version });
  t.not(second.version, first.version);
  for (const [method, to, body] of [
    ['PATCH', path, { requests_per_minute: 7 }],
    ['POST', `${path}/grants`, { amount: '1' }],
  ] as const) {
    const refusal = await call(409, method, to, { ...body, version: first.version });
    t.strictSame(refusal, {
      error: 'version: versions has been changed meanwhile.',
      type: 'conflict',
      field: 'version',
      current: second,
    });
  }
  // A grant that is sent again with its version is made once.
  const grant = { amount: '1', reason: 'a refund', version: second.version };
  t.match(await call(200, 'POST', `${path}/grants`, grant), { granted: '1.00', budget: '5.00' });
  t.match(await call(409, 'POST', `${path}/grants`, grant), { current: { granted: '1.00' } });
  const { entries } = await call(200, 'GET', 'audit?limit=1');
  t.match(entries, [
    {
      action: 'workspace.credit',
      changes: [
        { field: 'granted', before: '0.00', after: '1.00' },
        { field: 'reason', before: null, after: 'a refund' },
      ],
    },
  ]);
  // The same content has the same version.
  const cleared = { budget: null, requests_per_minute: 6_000 };
  await call(200, 'POST', `${path}/grants`, { amount: '-1' });
  t.equal((await call(200, 'PATCH', path, cleared)).version, first.version);
  t.match(first.version, /^[\w-]{22}$/);
  for (const reason of ['', 'x'.repeat(201), 'a\nb', 1]) {
    t.match(await call(400, 'POST', `${path}/grants`, { amount: '1', reason }), { field: 'reason' });
  }
  await call(200, 'POST', `${path}/grants`, { amount: '1', reason: 'x'.repeat(200) });
});
