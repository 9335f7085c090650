import { test } from 'tap';
import { BYTES_PER_MINUTE_MAX, REQUESTS_PER_MINUTE_MAX } from '../../src/access/workspaces.js';
import { program } from '../../src/cli/program.js';
import { getWorkspace } from '../../src/storage/folder/administration/rows.js';
import { books } from '../support/books.js';
import { modelsFolder } from '../support/server.js';

test('workspaces create, list, show: beside a process that has the folder open', async (t) => {
  const { store, run, json } = books(t);
  const created = await json('workspaces', 'create', 'team-a');
  t.match(created, {
    id: 'team-a',
    name: null,
    closed: null,
    created: /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/,
    currency: 'GBP',
    granted: '0.00',
    charged: '0.00',
    balance: '0.00',
    charged_this_month: '0.00',
    budget: null,
    models: null,
    requests_per_minute: 6_000,
    bytes_per_minute: 268_435_456,
  });
  t.equal(store.changes(), 2, 'the other process sees it');
  t.equal(getWorkspace(store, 'team-a').id, 'team-a');
  await json('workspaces', 'create', 'a');
  t.same(
    (await json('workspaces', 'list')).map(({ id }: { id: string }) => id),
    ['a', 'team-a'],
  );
  t.same(await json('workspaces', 'show', 'team-a'), created);
  const listed = (await run('workspaces', 'list')).stdout.split('\n');
  t.match(listed[0], /^workspace +name +balance GBP +this month GBP +budget GBP +models +closed$/);
  t.match(listed[2], /^team-a +0\.00 +0\.00 +none +all$/);
});

test('workspaces credit: every decimal is kept, and a negative amount takes back', async (t) => {
  const { json, run, mistake } = books(t, { DECIDER_BILLING_CURRENCY: 'EUR' });
  await json('workspaces', 'create', 'w');
  t.equal((await json('workspaces', 'credit', 'w', '0.000000000001')).balance, '0.000000000001');
  t.equal(
    (await json('workspaces', 'credit', 'w', '999999999999999')).balance,
    '999999999999999.000000000001',
  );
  t.equal((await json('workspaces', 'credit', 'w', '-999999999999999')).granted, '0.000000000001');
  t.equal((await json('workspaces', 'credit', 'w', '-1.50')).balance, '-1.499999999999');
  t.match((await run('workspaces', 'show', 'w')).stdout, /^balance: +-1\.499999999999 EUR$/m);
  await mistake(/^amount: "1e3" is not an amount/, 'workspaces', 'credit', 'w', '1e3');
  await mistake(/^workspace: x does not exist\.$/m, 'workspaces', 'credit', 'x', '1');
  await mistake(/^amount: it cannot be 0\.$/m, 'workspaces', 'credit', 'w', '0');
});

test('workspaces budget, limits: set, lifted, and refused', async (t) => {
  const { json, mistake } = books(t);
  await json('workspaces', 'create', 'w');
  t.equal((await json('workspaces', 'budget', 'w', '12.5')).budget, '12.50');
  t.equal((await json('workspaces', 'budget', 'w', 'none')).budget, null);
  await mistake(/^budget: it cannot be negative\.$/m, 'workspaces', 'budget', 'w', '-1');
  await mistake(/^budget: "much" is not an amount/, 'workspaces', 'budget', 'w', 'much');
  const limited = await json('workspaces', 'limits', 'w', '--requests-per-minute', '7');
  t.match(limited, { requests_per_minute: 7, bytes_per_minute: 268_435_456 });
  t.match(await json('workspaces', 'limits', 'w', '--bytes-per-minute', '8'), {
    requests_per_minute: 7,
    bytes_per_minute: 8,
  });
  await mistake(/^limits: give --requests-per-minute/, 'workspaces', 'limits', 'w');
  for (const number of ['0', '1e3', String(REQUESTS_PER_MINUTE_MAX + 1)]) {
    await mistake(/^requests-per-minute: /, 'workspaces', 'limits', 'w', '--requests-per-minute', number);
  }
  const group = program.commands.find((command) => command.name() === 'workspaces');
  const help = group?.commands
    .find((command) => command.name() === 'limits')
    ?.helpInformation()
    .replaceAll(/\s+/g, ' ');
  t.match(help, `maximum requests in any minute, 1 to ${REQUESTS_PER_MINUTE_MAX} `);
  t.match(help, `maximum bytes of requests in any minute, 1 to 2^${Math.log2(BYTES_PER_MINUTE_MAX)} `);
});

test('workspaces models: names of the manifest, all, and models that are gone', async (t) => {
  const folder = t.testdir();
  const DECIDER_MODELS = modelsFolder(folder, {}, { answers_for: ['decider-g-12b'] });
  const { json, mistake, run } = books(t, { DECIDER_MODELS }, folder);
  await json('workspaces', 'create', 'w');
  const set = async (...models: string[]) => (await json('workspaces', 'models', 'w', ...models)).models;
  t.same(await set('tiny,tiny-20260101', 'decider-g-12b', 'tiny'), [
    'tiny',
    'tiny-20260101',
    'decider-g-12b',
  ]);
  await mistake(
    /^models: the manifest has no gone\. Use --force/,
    'workspaces',
    'models',
    'w',
    'tiny',
    'gone',
  );
  await mistake(/^models: "a\\u001b" cannot be a model/, 'workspaces', 'models', 'w', 'a\u001b', '--force');
  t.same(await set('gone', '--force'), ['gone']);
  t.same(await set('gone', 'tiny'), ['gone', 'tiny'], 'a name the workspace already has is kept');
  t.match((await run('workspaces', 'list')).stdout, /gone tiny$/m);
  t.equal(await set('all'), null);
});

test('workspaces rename, close, reopen: keys stop working meanwhile', async (t) => {
  const { json, run, mistake } = books(t);
  t.equal((await json('workspaces', 'create', 'w', '--name', 'Team W')).name, 'Team W');
  const renamed = await json('workspaces', 'rename', 'w', 'Team V');
  t.match(renamed, { id: 'w', name: 'Team V', closed: null });
  const { id } = await json('keys', 'create', '--workspace', 'w');
  t.match(await json('workspaces', 'close', 'w'), { ...renamed, closed: /Z$/ });
  t.match(await json('keys', 'list'), [{ id, state: 'closed' }]);
  t.match((await run('workspaces', 'list')).stdout, /^w +Team V .* closed$/m);
  t.match((await run('workspaces', 'show', 'w')).stdout, /^closed: +\d{4}-/m);
  await mistake(/^workspace: w is closed; reopen it first\.$/m, 'keys', 'create', '--workspace', 'w');
  await mistake(/^workspace: w is closed; reopen it first\.$/m, 'keys', 'roll', id);
  t.same(await json('workspaces', 'reopen', 'w'), renamed);
  t.match(await json('keys', 'list'), [{ id, state: 'live' }]);
  t.equal((await json('workspaces', 'rename', 'w', '')).name, null);
  t.match(await json('audit', '--limit', '4'), [
    { action: 'workspace.change', changes: [{ field: 'name', before: 'Team V', after: null }] },
    { action: 'workspace.reopen', changes: [{ field: 'closed', after: null }] },
    { action: 'workspace.close', changes: [{ field: 'closed', before: null }] },
    { action: 'key.create' },
  ]);
});

test('workspaces: ids that cannot be, are there already, or are not there', async (t) => {
  const { json, mistake } = books(t);
  await json('workspaces', 'create', 'w');
  await mistake(/^workspace: w already exists\.$/m, 'workspaces', 'create', 'w');
  for (const id of [' ', 'x'.repeat(5_000)]) {
    await mistake(/^workspace: .* is not 1 to 64 /, 'workspaces', 'create', id);
    await mistake(/^workspace: .* does not exist/, 'workspaces', 'show', id);
  }
});
