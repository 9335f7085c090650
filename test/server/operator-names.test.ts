import { conflict, INSTANT, invalid, missing, operatorTests } from '../support/operator-world.js';

operatorTests('names of keys and workspaces, and closed workspaces', {
  async 'keys: named, and when they were last used'(t, { call, refused, decide }) {
    await call(201, 'POST', 'workspaces', { id: 'named', name: 'Größe <b>8</b>' });
    const { key, token } = await call(201, 'POST', 'keys', { workspace: 'named', name: 'bill' });
    t.match(key, { name: 'bill', last_used: null });
    t.equal(await decide(token), 402, 'a refused request is a use too');
    const found = async (search: string) => (await call(200, 'GET', `keys?search=${search}`)).keys;
    t.match(await found('BILL'), [{ id: key.id }], 'a search finds names');
    t.match(await call(200, 'GET', 'workspaces?search=gr%C3%B6%C3%9Fe'), { workspaces: [{ id: 'named' }] });
    t.match(await call(200, 'PATCH', `keys/${key.id}`, { name: 'invoices' }), {
      id: key.id,
      name: 'invoices',
    });
    t.match(await call(201, 'POST', `keys/${key.id}/roll`), { key: { name: 'invoices' } });
    t.match(await call(200, 'PATCH', `keys/${key.id}`, { name: null }), { name: null });
    for (const name of ['', 1, 'x'.repeat(65)])
      await refused(invalid('name'), 'PATCH', `keys/${key.id}`, { name });
    await refused(invalid('name'), 'PATCH', `keys/${key.id}`, {});
    await refused(missing('id'), 'PATCH', 'keys/key_unknown', { name: 'x' });
  },

  async 'workspaces: closed, and opened again'(t, { call, refused, decide }) {
    await call(201, 'POST', 'workspaces', { id: 'shut' });
    await call(200, 'POST', 'workspaces/shut/grants', { amount: '1' });
    const { key, token } = await call(201, 'POST', 'keys', { workspace: 'shut' });
    t.equal(await decide(token), 200);
    const closed = await call(200, 'POST', 'workspaces/shut/close');
    t.match(closed, { closed: INSTANT, granted: '1.00' });
    t.strictSame(await call(200, 'POST', 'workspaces/shut/close', {}), closed);
    t.equal(await decide(token), 401);
    t.match(await call(200, 'GET', 'keys?workspace=shut'), { keys: [{ id: key.id, state: 'closed' }] });
    t.match(await call(200, 'GET', 'keys?workspace=shut&state=working'), { total: 0 });
    t.match(await call(200, 'GET', 'workspaces?search=shut'), { workspaces: [{ working_keys: 0 }] });
    t.match(await call(200, 'GET', 'workspaces/shut/usage'), { usage: [{ requests: 1 }] });
    await refused(conflict('workspace'), 'POST', 'keys', { workspace: 'shut' });
    await refused(conflict('workspace'), 'POST', `keys/${key.id}/roll`);
    t.match(await call(200, 'POST', 'workspaces/shut/reopen'), { closed: null });
    t.equal(await decide(token), 200);
  },
});
