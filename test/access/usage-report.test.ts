import { type Test, test } from 'tap';
import { sumPrices, type UsageFilter } from '../../src/access/index.js';
import { readUsage } from '../../src/storage/folder/administration/reports.js';
import { createKey } from '../support/access/folder-changes.js';
import { opened } from '../support/access/opened.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Two workspaces with two keys each, charged over the days around the end of a leap February. */
async function used(t: Test) {
  const all = opened(t, Date.parse('2028-02-28T12:00:00.000Z'));
  const { access, caller, clock, store, workspace } = all;
  const keys = ['acme', 'acme-2'].flatMap((id) => [workspace(id, 10n ** 12n), createKey(store, clock, id)]);
  let tokens = 1;
  for (let day = 0; day < 4; day += 1) {
    for (const { token } of keys) {
      for (const [model, kind, price] of [
        ['a', 'live', 2n],
        ['a', 'live', 10n],
        ['a', 'batch', 1n],
        ['a-2', 'live', 3n],
      ] as const) {
        access.reserve(caller(token), { model, kind, inputTokens: tokens, price }).post();
        tokens += 1;
      }
    }
    await access.flush();
    clock.advance(DAY_MS);
  }
  const read = (filter: UsageFilter) => readUsage(store, filter);
  return { store, read, keys: keys.map(({ key }) => key.id) };
}

test('a row per workspace, day, key, model, kind and price, in that order', async (t) => {
  const { read } = await used(t);
  const rows = read({});
  t.equal(rows.length, 4 * 4 * 4);
  const names = rows.map((row) => [row.workspace, row.day, row.key, row.model, row.kind].join('\0'));
  t.strictSame(names, [...names].sort());
  for (const { amount, inputTokens, price, requests } of rows) {
    t.equal(amount, BigInt(inputTokens) * price);
    t.equal(requests, 1);
  }
  t.equal(
    rows.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    (64 * 65) / 2,
  );
});

test('with days, only the rows of these days are read', async (t) => {
  const { read, store } = await used(t);
  const { key, table } = store.table('usage').write(['acme', '2028-02-28', 'key', 'a', 'live', '1'], null);
  const after = store.table('usage').write(['acme', '2028-03-02', 'a', 'a', 'live', '1'], null);
  const damaged = Buffer.from('{}');
  await store.write([
    { table, key, value: damaged },
    { ...after, value: damaged },
  ]);
  t.throws(() => read({}), { name: 'StoreError' });
  t.equal(read({ workspace: 'acme', from: '2028-02-29', to: '2028-02-29' }).length, 2 * 4);
});

test('filters: exactly the rows that match all of them', async (t) => {
  const { keys, read } = await used(t);
  const all = read({});
  const key = keys[1] as string;
  for (const [filter, fits] of [
    [{ workspace: 'acme' }, { workspace: 'acme' }],
    [{ key }, { key }],
    [{ model: 'a' }, { model: 'a' }],
    [
      { model: 'a-2', key },
      { model: 'a-2', key },
    ],
    [{ from: '2028-02-29', to: '2028-02-29' }, { day: '2028-02-29' }],
    [{ to: '2028-02-28' }, { day: '2028-02-28' }],
    [{ from: '2028-03-02' }, { day: '2028-03-02' }],
    [{ workspace: 'acme', key: keys[2] as string }, { workspace: 'none' }],
  ] as const) {
    const expected = all.filter((row) =>
      Object.entries(fits).every(([name, value]) => row[name as keyof typeof row] === value),
    );
    t.strictSame(read(filter), expected, JSON.stringify(filter));
  }
  t.strictSame(read({ from: '2028-02-28', to: '2028-03-02' }), all, 'both days are included');
  t.strictSame(read({ from: '2028-03-03' }), []);
  t.strictSame(read({ model: 'A' }), []);
});

test('a sum over prices loses nothing, and merges only prices', async (t) => {
  const { read } = await used(t);
  const rows = read({});
  const sums = sumPrices(rows);
  t.equal(sums.length, 4 * 4 * 3);
  for (const name of ['requests', 'inputTokens'] as const) {
    const total = (all: ReadonlyArray<Record<typeof name, number>>) =>
      all.reduce((sum, row) => sum + row[name], 0);
    t.equal(total(sums), total(rows));
  }
  const amount = (all: ReadonlyArray<{ amount: bigint }>) => all.reduce((sum, row) => sum + row.amount, 0n);
  t.equal(amount(sums), amount(rows));
  t.strictSame(sumPrices([]), []);
});
