import { type Test, test } from 'tap';
import type { Amount } from '../../../../src/access/index.js';
import { systemClock } from '../../../../src/base/index.js';
import { reconcile, type Store } from '../../../../src/storage/folder/index.js';
import type { RawWrite } from '../../../../src/storage/folder/lmdb/writes.js';
import { changeWorkspace, grantCredit } from '../../../support/access/folder-changes.js';
import { opened } from '../../../support/access/opened.js';
import { child } from '../../../support/child.js';

const CHILD = new URL('../../../support/access/charging-child.js', import.meta.url);

/** A ledger of two workspaces with two grants and two months each. */
async function booked(t: Test) {
  const all = opened(t, Date.parse('2026-05-31T23:59:59.999Z'));
  const { access, clock, store, workspace, reserve } = all;
  const tokens = ['acme', 'other'].map((id) => workspace(id, 1_000n).token);
  for (const token of tokens) reserve(token, 10, 3n).post();
  clock.advance(1);
  for (const token of tokens) reserve(token, 5, 7n).post();
  for (const id of ['acme', 'other']) grantCredit(store, clock, id, -100n);
  await access.flush();
  return { ...all, key: access.authenticate([`Bearer ${tokens[0]}`]).key.id };
}

test('books that add up: granted, charged, balance, to the unit', async (t) => {
  const { store } = await booked(t);
  const books = { granted: 900n, charged: 65n, balance: 835n };
  t.strictSame(reconcile(store), {
    books: [
      { workspace: 'acme', ...books },
      { workspace: 'other', ...books },
    ],
    problems: [],
  });
});

test('an empty ledger adds up', async (t) => {
  const { store, workspace } = opened(t);
  t.strictSame(reconcile(store), { books: [], problems: [] });
  workspace('acme', 0n);
  changeWorkspace(store, systemClock, 'acme', { budget: 5n });
  t.strictSame(reconcile(store).problems, []);
});

/** One unit, token, month or row that is wrong, and the sentences that tell. */
const WRONGS: Record<string, { wrong(store: Store, key: string): RawWrite; told: readonly RegExp[] }> = {
  'a unit too much charged': {
    wrong: (store) => account(store, 66n, '2026-06', 35n),
    told: [
      /^workspace acme: charged against the sum of the counters: 0\.000000000066 is not 0\.000000000065\.$/,
    ],
  },
  'a unit too little charged in the month': {
    wrong: (store) => account(store, 65n, '2026-06', 34n),
    told: [/^workspace acme: charged this month against the counters: /],
  },
  'another month': {
    wrong: (store) => account(store, 65n, '2026-05', 35n),
    told: [/^workspace acme: charged this month against the counters: /],
  },
  'an account that is gone': {
    wrong: (store) => store.table('accounts').write(['acme'], null),
    told: [/^workspace acme: charged against the sum of the counters: 0\.00 is not /],
  },
  'a token too much': {
    wrong: (store, key) => counter(store, key, 6, 35n),
    told: [/^workspace acme: tokens × price of acme 2026-06-01 key_\w+ m-20260101 live 7: /],
  },
  'a unit too much in a counter': {
    wrong: (store, key) => counter(store, key, 5, 36n),
    told: [/tokens × price of acme /, /charged against the sum/, /charged this month/],
  },
  'a counter that is gone': {
    wrong: (store, key) =>
      store.table('usage').write(['acme', '2026-06-01', key, 'm-20260101', 'live', '7'], null),
    told: [/charged against the sum/, /charged this month/],
  },
  'a counter of an unknown workspace': {
    wrong: (store) =>
      store.table('usage').write(['unknown', '2026-06-01', 'key_x', 'm', 'live', '7'], {
        requests: 1,
        inputTokens: 1,
        amount: '7',
      }),
    told: [/^usage unknown 2026-06-01 key_x m live 7: there is no such workspace\.$/],
  },
  'an account of an unknown workspace': {
    wrong: (store) =>
      store.table('accounts').write(['unknown'], { charged: '0', month: '2026-06', monthCharged: '0' }),
    told: [/^accounts unknown: there is no such workspace\.$/],
  },
  'a grant that is gone': {
    wrong: (store) => store.table('grants').write(['acme', 1], null),
    told: [/^workspace acme: sum of grants against credit granted: 0\.000000001 is not 0\.0000000009\.$/],
  },
  'a grant of an unknown workspace': {
    wrong: (store) => store.table('grants').write(['unknown', 0], { at: 0, amount: '0' }),
    told: [/^grants unknown 0: there is no such workspace\.$/],
  },
};

const account = (store: Store, charged: Amount, month: string, monthCharged: Amount) =>
  store
    .table('accounts')
    .write(['acme'], { charged: String(charged), month, monthCharged: String(monthCharged) });

const counter = (store: Store, key: string, inputTokens: number, amount: Amount) =>
  store.table('usage').write(['acme', '2026-06-01', key, 'm-20260101', 'live', '7'], {
    requests: 1,
    inputTokens,
    amount: String(amount),
  });

test('a discrepancy is reported with the workspace and both amounts', async (t) => {
  const { store, key } = await booked(t);
  for (const [name, { wrong, told }] of Object.entries(WRONGS)) {
    const write = wrong(store, key);
    const table = store.table(write.table);
    const before = [...table.entries()];
    await store.write([write]);
    const { problems } = reconcile(store);
    t.equal(problems.length, told.length, `${name}: ${problems.join(' ')}`);
    for (const [at, pattern] of told.entries()) t.match(problems[at], pattern, name);
    await store.write([
      { ...write, value: null },
      ...before.map((row) => table.write(row.key, row.value as never)),
    ]);
    t.strictSame(reconcile(store).problems, [], `${name}, mended`);
  }
});

test('the books add up at every moment beside a process that charges', async (t) => {
  const { clock, store, workspace } = opened(t);
  const { token } = workspace('acme', 10n ** 12n);
  const charging = child(t, CHILD, [store.folder, token]);
  t.equal(await charging.line(), 'charging');
  const seen = new Set<Amount>();
  while (seen.size < 50) {
    const { books, problems } = reconcile(store);
    if (problems.length > 0) t.fail(problems.join(' '));
    for (const { charged } of books) seen.add(charged);
    grantCredit(store, clock, 'acme', 1n);
    await new Promise(setImmediate);
  }
  t.equal(await charging.ask('stop'), 'stopped');
  t.strictSame(reconcile(store).problems, []);
});
