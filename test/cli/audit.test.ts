import { userInfo } from 'node:os';
import { test } from 'tap';
import { systemClock } from '../../src/base/index.js';
import { grantCredit } from '../support/access/folder-changes.js';
import { books } from '../support/books.js';

const USER = `cli:${userInfo().username}`;

test('every change by a command is an entry of the audit log, and nothing else is', async (t) => {
  const { store, run, json, mistake } = books(t);
  await json('workspaces', 'create', 'w');
  await json('workspaces', 'credit', 'w', '2.5', '--reason', 'invoice 7');
  await json('workspaces', 'budget', 'w', '7');
  await json('workspaces', 'budget', 'w', '7');
  await json('workspaces', 'models', 'w', 'a', 'b', '--force');
  await json('workspaces', 'limits', 'w', '--requests-per-minute', '9');
  const { id, token, expires } = await json('keys', 'create', '--workspace', 'w', '--expires', '2999-01-31');
  const next = await json('keys', 'roll', id);
  await json('keys', 'revoke', id);
  await json('keys', 'revoke', id);
  await mistake(/already exists/, 'workspaces', 'create', 'w');
  await mistake(/x does not exist/, 'workspaces', 'credit', 'x', '1');
  await json('workspaces', 'list');

  const entries = await json('audit');
  const change = (field: string, before: string | null, after: string | null) => ({ field, before, after });
  t.match(entries[0], { number: 8, actor: USER, time: /^\d{4}-.*Z$/ });
  const rest = entries.map(({ number, time, actor, ...entry }: Record<string, unknown>) => entry);
  const of = (action: string, key: string | null, ...changes: object[]) => ({
    action,
    workspace: 'w',
    key,
    changes,
  });
  t.match(rest, [
    of('key.revoke', id, { field: 'revoked', before: null, after: /Z$/ }),
    of(
      'key.roll',
      id,
      { field: 'expires', before: expires, after: /Z$/ },
      change('rolled_to', null, next.id),
    ),
    of('key.create', id, change('expires', null, expires)),
    of('workspace.change', null, change('requests_per_minute', '6000', '9')),
    of('workspace.change', null, change('models', 'all', 'a b')),
    of('workspace.change', null, change('budget', 'none', '7.00')),
    of('workspace.credit', null, change('granted', '0.00', '2.50'), change('reason', null, 'invoice 7')),
    of('workspace.create', null, change('granted', null, '0.00')),
  ]);
  const text = (await run('audit')).stdout;
  t.match(text, /^number {2}time +actor +action +of +changes$/m);
  t.match(text, /workspace\.credit +w +granted 0\.00 → 2\.50; reason invoice 7$/m);
  t.notOk(text.includes(token) || JSON.stringify(entries).includes(token));

  t.match(await json('audit', '--key', id, '--action', 'key.roll'), [{ number: 7, action: 'key.roll' }]);
  t.same(await json('audit', '--workspace', 'other'), []);
  t.equal((await json('audit', '--limit', '3')).length, 3);
  for (const limit of ['0', '10001', 'x']) await mistake(/^limit: /, 'audit', '--limit', limit);

  for (let amount = 1; amount <= 13; amount += 1) grantCredit(store, systemClock, 'w', BigInt(amount));
  const numbers = async (...args: string[]) =>
    (await json('audit', ...args)).map(({ number }: { number: number }) => number);
  const from = (first: number) => Array.from({ length: 22 - first }, (_, at) => 21 - at);
  t.strictSame(await numbers(), from(2), 'the last 20');
  t.strictSame(await numbers('--after', '0'), from(1), 'all');
  t.strictSame(await numbers('--after', '19'), from(20));
  t.strictSame(await numbers('--after', '19', '--limit', '1'), from(21));
  t.strictSame(await numbers('--after', '9007199254740991'), []);
  for (const after of ['-1', '9007199254740992', 'x']) await mistake(/^after: /, 'audit', '--after', after);
});
