import type { OperatorResponses } from '../../src/api/index.js';
import { conflict, INSTANT, invalid, missing, OPERATOR, operatorTests } from '../support/operator-world.js';
import { until } from '../support/until.js';

operatorTests('what the server does and did: batches that are cancelled, and the last hour', {
  async 'batches: cancelled by the operator'(t, { url, call, refused }) {
    const { token, key } = await call(201, 'POST', 'keys', { workspace: 'default' });
    const headers = { authorization: `Bearer ${token}` };
    const line = {
      custom_id: 'a',
      model: 'tiny',
      state: 'x'.repeat(2_000),
      questions: { q: { type: 'noul' } },
    };
    const lines = Array.from({ length: 500 }, (_, at) => JSON.stringify({ ...line, custom_id: `c${at}` }));
    const response = await fetch(`${url}/v1/batches`, { method: 'POST', headers, body: lines.join('\n') });
    const { id } = (await response.json()) as { id: string };
    const cancelled = await call(200, 'POST', `batches/${id}/cancel`);
    t.match(cancelled, { id, workspace: 'default', key: key.id, state: /^cancell/ });
    await until(async () => {
      const { batches } = await call(200, 'GET', 'batches?state=cancelled');
      return batches.some((each: { id: string }) => each.id === id);
    });
    t.match(await call(200, 'GET', `audit?action=batch.cancel&key=${key.id}`), {
      entries: [{ actor: OPERATOR, workspace: 'default', changes: [{ field: 'batch', after: id }] }],
      more: false,
    });
    await call(200, 'POST', `batches/${id}/cancel`);
    const { entries } = await call(200, 'GET', `audit?action=batch.cancel&key=${key.id}`);
    t.equal(entries.length, 1, 'a cancel that changes nothing has no entry');
    await refused(invalid('x'), 'POST', `batches/${id}/cancel`, { x: 1 });
    for (const other of ['batch_x', `batch_${'x'.repeat(24)}`]) {
      await refused(missing('id'), 'POST', `batches/${other}/cancel`);
    }
    const short = await fetch(`${url}/v1/batches`, { method: 'POST', headers, body: lines[0] as string });
    const done = ((await short.json()) as { id: string }).id;
    await until(async () => (await call(200, 'GET', 'batches?state=done')).batches.length > 0);
    await refused(conflict('id'), 'POST', `batches/${done}/cancel`);
  },

  async 'the last hour: requests without what consoles read, errors and top workspaces'(
    t,
    { call, decide, url },
  ) {
    const before: OperatorResponses['showHistory'] = await call(200, 'GET', 'history');
    const sum = ({ requests }: typeof before) => requests.reduce((all, each) => all + each.requests, 0);
    const { token } = await call(201, 'POST', 'keys', { workspace: 'default' });
    t.equal(await decide(token), 200);
    t.equal(await decide(`dk_${'x'.repeat(40)}`), 401);
    for (const path of ['/v1/limits', '/health', '/v1/models']) {
      await (await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })).text();
    }
    let after = before;
    await until(async () => {
      after = await call(200, 'GET', 'history');
      return sum(after) >= sum(before) + 2;
    });
    t.equal(sum(after), sum(before) + 2);
    t.equal(after.step_seconds, 60);
    t.match(after.resources[0], { time: INSTANT, resident_bytes: Number, waiting: { live: 0, batch: 0 } });
    // The refused request has no latency: it may be in a step of its own.
    const answered = after.requests.filter(({ latency_ms }) => latency_ms !== null);
    t.match(answered.at(-1), { time: INSTANT, failed: 0, latency_ms: { p50: Number, p99: Number } });
    t.ok(after.top_workspaces.some(({ workspace, requests }) => workspace === 'default' && requests > 0));
  },
});
