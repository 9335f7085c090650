// Reports on charges and the verification of the ledger, by both implementations: a data folder and a database.
import { test } from 'tap';
import { CHANGES, monthOf, readInvoice, type UsageRow } from '../../../../src/access/index.js';
import { systemClock } from '../../../../src/base/index.js';
import { ADMINISTRATIONS, type Administered } from '../../../support/access/administrations.js';

/** Input tokens of a row of usage. */
const TOKENS = 3;

/** Writes rows of usage at price `price`. Returns them. */
async function used(
  world: Administered,
  workspace: string,
  key: string,
  rows: ReadonlyArray<readonly [day: string, model: string, price: bigint]>,
): Promise<UsageRow[]> {
  const made = rows.map(([day, model, price]) => ({
    workspace,
    day,
    key,
    model,
    kind: 'live',
    price,
    requests: 1,
    inputTokens: TOKENS,
    amount: price * BigInt(TOKENS),
  }));
  for (const row of made) await world.putUsage(row);
  return made;
}

for (const { name, options, open } of ADMINISTRATIONS) {
  test(`${name}: usage is filtered and ordered`, options, async (t) => {
    const world = await open(t);
    const office = world.as('cli:ann');
    for (const id of ['a', 'b']) await office.change(CHANGES.createWorkspace(id));
    const [one, other] = [
      (await office.change(CHANGES.createKey('a'))).key.id,
      (await office.change(CHANGES.createKey('b'))).key.id,
    ];
    const late = await used(world, 'b', other, [['2026-11-02', 'm', 1n]]);
    const early = await used(world, 'a', one, [
      ['2026-10-31', 'n', 2n],
      ['2026-11-01', 'm', 2n],
      ['2026-11-01', 'm', 5n],
      ['2026-12-01', 'm', 2n],
    ]);
    t.strictSame(await office.usage({}), [...early, ...late]);
    t.strictSame(await office.usage({ workspace: 'a' }), early);
    t.strictSame(await office.usage({ key: other }), late);
    t.strictSame(await office.usage({ model: 'n' }), early.slice(0, 1));
    t.strictSame(await office.usage({ model: 'n\0' }), []);
    const november = { from: '2026-11-01', to: '2026-11-30' };
    t.strictSame(await office.usage(november), [...early.slice(1, 3), ...late]);
    const all = { workspace: 'a', key: one, model: 'm', ...november };
    t.strictSame(await office.usage(all), early.slice(1, 3));
    const wrong = [
      [{ workspace: 'c' }, 'workspace: c does not exist.'],
      [{ key: 'key_1' }, 'key: key_1 does not exist.'],
      [{ from: '2026-11-31' }, 'from: "2026-11-31" is not a day such as 2026-11-21.'],
      [{ from: '2026-11-02', to: '2026-11-01' }, 'from: 2026-11-02 is after 2026-11-01, the last day.'],
    ] as const;
    for (const [filter, message] of wrong)
      await t.rejects(office.usage(filter), { name: 'AccessError', message });

    t.strictSame(await readInvoice(office, 'a', '2026-11'), {
      workspace: 'a',
      month: '2026-11',
      lines: [
        { model: 'm', kind: 'live', price: 2n, requests: 1, inputTokens: 3, amount: 6n },
        { model: 'm', kind: 'live', price: 5n, requests: 1, inputTokens: 3, amount: 15n },
      ],
      total: { requests: 2, inputTokens: 6, amount: 21n },
    });
    await t.rejects(readInvoice(office, 'a', '2026-13'), { name: 'AccessError', argument: 'month' });
    await t.rejects(readInvoice(office, 'c', '2026-11'), { name: 'AccessError', argument: 'workspace' });
  });

  test(`${name}: the balance has the charges of this month`, options, async (t) => {
    const world = await open(t);
    const office = world.as('cli:ann');
    await office.change(CHANGES.createWorkspace('a'));
    const workspace = await office.change(CHANGES.grantCredit('a', 100n));
    const month = monthOf(systemClock.now());
    await used(world, 'a', 'key_1', [
      ['2020-01-31', 'm', 1n],
      [`${month}-01`, 'm', 2n],
      [`${month}-28`, 'n', 3n],
    ]);
    await world.putAccount('a', { charged: 18n, month, monthCharged: 15n });
    t.strictSame(await office.balance(workspace), { charged: 18n, balance: 82n, monthCharged: 15n });
    const { books, problems } = await office.reconcile();
    t.strictSame(books, [{ workspace: 'a', granted: 100n, charged: 18n, balance: 82n }]);
    t.strictSame(problems, []);
  });

  test(`${name}: whatever does not add up is reported`, options, async (t) => {
    const world = await open(t);
    const office = world.as('cli:ann');
    await office.change(CHANGES.createWorkspace('a'));
    await office.change(CHANGES.grantCredit('a', 10n ** 12n));
    const [row] = await used(world, 'a', 'key_1', [['2026-11-01', 'm', 10n ** 12n]]);
    await world.putUsage({ ...(row as UsageRow), model: 'n', amount: 10n ** 12n });
    await world.putAccount('a', { charged: 10n ** 12n, month: '2026-11', monthCharged: 2n * 10n ** 12n });
    await world.putGrant('a', 1, 10n ** 12n);
    await world.putGrant('b', 0, 1n);
    await world.putAccount('b', { charged: 0n, month: '2026-11', monthCharged: 0n });
    await world.putUsage({ ...(row as UsageRow), workspace: 'b' });
    t.strictSame((await office.reconcile()).problems, [
      'workspace a: tokens × price of a 2026-11-01 key_1 n live 1000000000000: 3.00 is not 1.00.',
      'workspace a: sum of grants against credit granted: 2.00 is not 1.00.',
      'workspace a: charged against the sum of the counters: 1.00 is not 4.00.',
      'workspace a: charged this month against the counters: 2.00 is not 4.00.',
      'grants b 0: there is no such workspace.',
      'accounts b: there is no such workspace.',
      'usage b 2026-11-01 key_1 m live 1000000000000: there is no such workspace.',
    ]);
  });
}
