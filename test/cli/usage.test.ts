import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'tap';
import { type Kind, parseAmount } from '../../src/access/index.js';
import { FolderAccess } from '../../src/storage/folder/ledger/folder-access.js';
import { createKey, createWorkspace, grantCredit } from '../support/access/folder-changes.js';
import { books } from '../support/books.js';

/** A workspace of one key that used two models on two days, one of them at two prices. */
async function used(t: Parameters<typeof books>[0]) {
  const all = books(t);
  const { store } = all;
  let now = Date.parse('2026-11-20T23:59:59.999Z');
  const clock = {
    now: () => now,
    settled: () => now,
    monotonic: () => 0,
    certainFor: () => Infinity,
    after: () => () => {},
  };
  createWorkspace(store, clock, 'w');
  grantCredit(store, clock, 'w', parseAmount('10') as bigint);
  const { key, token } = createKey(store, clock, 'w');
  const access = new FolderAccess(store, clock, (error) => t.fail(String(error)));
  const charge = (model: string, kind: Kind, inputTokens: number, price: bigint) => {
    const caller = access.authenticate([`Bearer ${token}`]);
    access.reserve(caller, { model, kind, inputTokens, price }).post();
  };
  charge('big-20260101', 'live', 1, 1n);
  now += 1;
  charge('big-20260101', 'live', 100, 1_500n);
  charge('big-20260101', 'live', 10, 1_500n);
  charge('big-20260101', 'live', 1_000, 2_000n);
  charge('big-20260101', 'batch', 5, 750n);
  charge('small-20260101', 'live', 7, 0n);
  await access.flush();
  return { ...all, key: key.id };
}

test('usage --json: a row per day, key, model, kind and price', async (t) => {
  const { json, key } = await used(t);
  const rows = await json('usage');
  t.same(rows[0], {
    day: '2026-11-20',
    workspace: 'w',
    key,
    model: 'big-20260101',
    kind: 'live',
    price_per_million: '0.000001',
    requests: 1,
    input_tokens: 1,
    amount: '0.000000000001',
    currency: 'GBP',
  });
  t.match(rows.slice(1), [
    { day: '2026-11-21', kind: 'batch', price_per_million: '0.00075', requests: 1, amount: '0.00000000375' },
    { kind: 'live', price_per_million: '0.0015', requests: 2, input_tokens: 110, amount: '0.000000165' },
    { kind: 'live', price_per_million: '0.002', requests: 1, input_tokens: 1_000, amount: '0.000002' },
    { model: 'small-20260101', price_per_million: '0.00', amount: '0.00' },
  ]);
  t.match(await json('workspaces', 'show', 'w'), { charged: '0.000002168751', balance: '9.999997831249' });
});

test('usage: the table sums over prices', async (t) => {
  const { run, key } = await used(t);
  const lines = (await run('usage')).stdout.split('\n');
  t.match(lines[0], /^day +workspace +key +model +kind +requests +input tokens +amount GBP$/);
  t.match(lines[3], new RegExp(`^2026-11-21 +w +${key} +big-20260101 +live +3 +1110 +0\\.000002165$`));
  t.equal(lines.length, 6);
  t.equal(lines[5], 'total 0.000002168751 GBP');
});

test('usage --csv: RFC 4180', async (t) => {
  const { run, key } = await used(t);
  const { stdout } = await run('usage', '--csv', '--to', '2026-11-20');
  t.same(stdout.split('\r\n'), [
    'day,workspace,key,model,kind,price_per_million,requests,input_tokens,amount,currency',
    `2026-11-20,w,${key},big-20260101,live,0.000001,1,1,0.000000000001,GBP`,
  ]);
});

test('usage: filters, and filters that name nothing', async (t) => {
  const { json, key, mistake } = await used(t);
  const count = async (...args: string[]) => (await json('usage', ...args)).length;
  t.equal(await count('--from', '2026-11-21'), 4);
  t.equal(await count('--from', '2026-11-20', '--to', '2026-11-20'), 1);
  t.equal(await count('--model', 'small-20260101', '--key', key, '--workspace', 'w'), 1);
  t.equal(await count('--model', 'small-20260101', '--to', '2026-11-20'), 0, 'a model without usage then');
  await mistake(
    /^model: gone was never charged, and the manifest does not have it\. Charged were: big-20260101, small-20260101\.$/m,
    'usage',
    '--model',
    'gone',
  );
  await mistake(/Did you mean big-20260101\?/, 'usage', '--model', 'bog-20260101');
  await mistake(/^model: usage names the builds of big: big-20260101\.$/m, 'usage', '--model', 'big');
  await mistake(/^from: "2026-02-30" is not a day/, 'usage', '--from', '2026-02-30');
  await mistake(/^to: "today" is not a day/, 'usage', '--to', 'today');
  await mistake(/^from: 2026-11-22 is after 2026-11-21/, 'usage', '--from=2026-11-22', '--to=2026-11-21');
  await mistake(/^workspace: x does not exist\.$/m, 'usage', '--workspace', 'x');
  await mistake(/^key: key_x does not exist\.$/m, 'usage', '--key', 'key_x');
});

test('usage --invoice: a row per model, kind and price of a month, as CSV, JSON and a page', async (t) => {
  const { run, json, data } = await used(t);
  const { stdout } = await run('usage', '--invoice', 'w', '--month', '2026-11');
  t.same(stdout.split('\r\n'), [
    'workspace,month,model,kind,price_per_million,requests,input_tokens,amount,currency',
    'w,2026-11,big-20260101,batch,0.00075,1,5,0.00000000375,GBP',
    'w,2026-11,big-20260101,live,0.000001,1,1,0.000000000001,GBP',
    'w,2026-11,big-20260101,live,0.0015,2,110,0.000000165,GBP',
    'w,2026-11,big-20260101,live,0.002,1,1000,0.000002,GBP',
    'w,2026-11,small-20260101,live,0.00,1,7,0.00,GBP',
  ]);
  const found = await json('usage', '--invoice', 'w', '--month', '2026-11');
  t.match(found, { workspace: 'w', month: '2026-11', requests: 6, input_tokens: 1_123, currency: 'GBP' });
  t.equal(found.amount, '0.000002168751', 'the sum of all lines, as the ledger has it');
  t.equal(found.lines.length, 5);
  const empty = await json('usage', '--invoice', 'w', '--month', '2026-10');
  t.match(empty, { month: '2026-10', requests: 0, amount: '0.00', lines: [] });
  const file = join(dirname(data), 'invoice.html');
  t.same(await run('usage', '--invoice', 'w', '--month', '2026-11', '--html', file), {
    code: 0,
    stdout: '',
    stderr: '',
  });
  const page = readFileSync(file, 'utf8');
  t.match(page, '<h1>Invoice of w</h1>');
  t.match(page, '0.000002168751 GBP');
  t.match(page, '<td class="number">1,123</td>');
});

test('usage --invoice: adds up days and keys; months and workspaces are apart', async (t) => {
  const { store, json } = books(t);
  let now = Date.parse('2026-11-29T12:00:00.000Z');
  const clock = {
    now: () => now,
    settled: () => now,
    monotonic: () => 0,
    certainFor: () => Infinity,
    after: () => () => {},
  };
  for (const id of ['w', 'other']) {
    createWorkspace(store, clock, id);
    grantCredit(store, clock, id, parseAmount('10') as bigint);
  }
  const [one, two, foreign] = ['w', 'w', 'other'].map((id) => createKey(store, clock, id).token);
  const access = new FolderAccess(store, clock, (error) => t.fail(String(error)));
  const charge = (token: string | undefined, inputTokens: number, price: bigint) => {
    const caller = access.authenticate([`Bearer ${token}`]);
    access.reserve(caller, { model: 'big-20260101', kind: 'live', inputTokens, price }).post();
  };
  charge(one, 1, 1_500n);
  now = Date.parse('2026-11-30T23:59:59.999Z');
  charge(one, 10, 1_500n);
  charge(two, 100, 1_500n);
  charge(two, 1, 10_000n);
  charge(foreign, 5, 1_500n);
  now += 1;
  charge(one, 1_000, 1_500n);
  await access.flush();

  const november = await json('usage', '--invoice', 'w', '--month', '2026-11');
  t.match(november, { requests: 4, input_tokens: 112, amount: '0.0000001765' });
  t.match(november.lines, [
    { price_per_million: '0.0015', requests: 3, input_tokens: 111, amount: '0.0000001665' },
    { price_per_million: '0.01', requests: 1, input_tokens: 1, amount: '0.00000001' },
  ]);
  t.equal(november.lines.length, 2);
  const december = await json('usage', '--invoice', 'w', '--month', '2026-12');
  t.match(december, { requests: 1, input_tokens: 1_000, amount: '0.0000015' });
  const both = (parseAmount(november.amount) as bigint) + (parseAmount(december.amount) as bigint);
  t.equal(both, parseAmount((await json('workspaces', 'show', 'w')).charged), 'as the ledger has it');
  const other = await json('usage', '--invoice', 'other', '--month', '2026-11');
  t.match(other, { requests: 1, amount: (await json('workspaces', 'show', 'other')).charged });
});

test('usage --invoice: mistakes', async (t) => {
  const { run, mistake } = await used(t);
  const of = ['usage', '--invoice', 'w', '--month'];
  for (const month of ['2026-13', '2026-1', '2026-11-01', 'x']) {
    await mistake(/month: ".*" is not a month such as 2026-11/, ...of, month);
  }
  await mistake(/unknown/, 'usage', '--invoice', 'unknown', '--month', '2026-11');
  await mistake(/html: the folder of .* does not exist/, ...of, '2026-11', '--html', '/nowhere/x.html');
  await mistake(/month: it needs --invoice/, 'usage', '--month', '2026-11');
  await mistake(/html: it needs --invoice/, 'usage', '--html', 'x.html');
  for (const args of [
    ['--key', 'key_1'],
    ['--csv', '--html', 'x.html'],
  ]) {
    const { code, stdout, stderr } = await run(...of, '2026-11', ...args);
    t.equal(code, 1);
    t.equal(stdout, '');
    t.match(stderr, /cannot be used with option/);
  }
});
