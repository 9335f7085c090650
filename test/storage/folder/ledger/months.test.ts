import { type Test, test } from 'tap';
import { balanceOf, readUsage } from '../../../../src/storage/folder/administration/reports.js';
import { getWorkspace } from '../../../../src/storage/folder/administration/rows.js';
import { reconcile } from '../../../../src/storage/folder/index.js';
import { FolderAccess } from '../../../../src/storage/folder/ledger/folder-access.js';
import { changeWorkspace } from '../../../support/access/folder-changes.js';
import { dealings, opened, thrown } from '../../../support/access/opened.js';

const DAY_MS = 24 * 3_600_000;
const at = (text: string) => Date.parse(text);

/** A workspace with credit at an instant, and what its tables say. */
function started(t: Test, start: string) {
  const all = opened(t, at(start));
  const { access, clock, store } = all;
  const { token, key } = all.workspace('acme', 1_000_000n);
  const charge = (tokens: number, price = 1n) => all.reserve(token, tokens, price).post();
  /** Charges by day, once they are on the disk; the ledger must add up. */
  const days = async () => {
    await access.flush();
    t.strictSame(reconcile(store).problems, []);
    return readUsage(store, {}).map(({ day, price, inputTokens }) => `${day} ${inputTokens} × ${price}`);
  };
  const monthCharged = () => balanceOf(store, getWorkspace(store, 'acme'), clock.now()).monthCharged;
  return { ...all, token, key, charge, days, monthCharged };
}

test('a charge counts to the UTC day and month of its answer, to the millisecond', async (t) => {
  for (const [last, day, next] of [
    ['2026-11-21T23:59:59.999Z', '2026-11-21', '2026-11-22'],
    ['2026-11-30T23:59:59.999Z', '2026-11-30', '2026-12-01'],
    ['2026-12-31T23:59:59.999Z', '2026-12-31', '2027-01-01'],
    ['2028-02-28T23:59:59.999Z', '2028-02-28', '2028-02-29'],
    ['2028-02-29T23:59:59.999Z', '2028-02-29', '2028-03-01'],
  ] as const) {
    const { charge, clock, days, monthCharged } = started(t, last);
    charge(10);
    const sameMonth = day.slice(0, 7) === next.slice(0, 7);
    clock.advance(1);
    charge(5);
    t.strictSame(await days(), [`${day} 10 × 1`, `${next} 5 × 1`]);
    t.equal(monthCharged(), sameMonth ? 15n : 5n, last);
  }
});

test('a request reserved in one month and answered in the next is charged to the next', async (t) => {
  const { clock, days, monthCharged, reserve, store, token } = started(t, '2026-11-30T23:59:59.999Z');
  changeWorkspace(store, clock, 'acme', { budget: 15n });
  const held = reserve(token, 10);
  t.equal(
    thrown(() => reserve(token, 6)),
    'budget_exceeded',
  );
  clock.advance(1);
  t.equal(
    thrown(() => reserve(token, 6)),
    'budget_exceeded',
    'it is under way in the new month too',
  );
  held.post();
  t.strictSame(await days(), ['2026-12-01 10 × 1']);
  t.equal(monthCharged(), 10n);
  reserve(token, 5).post();
  t.equal(
    thrown(() => reserve(token, 1)),
    'budget_exceeded',
  );
});

test('an exhausted budget is available again in the first millisecond of the next month', async (t) => {
  const { access, caller, charge, clock, store, token } = started(t, '2026-12-31T12:00:00.000Z');
  changeWorkspace(store, clock, 'acme', { budget: 10n });
  charge(10);
  const admit = () => thrown(() => access.admit(caller(token), 1));
  t.equal(admit(), 'budget_exceeded');
  clock.set(at('2026-12-31T23:59:59.999Z'));
  t.equal(admit(), 'budget_exceeded');
  clock.advance(1);
  t.equal(admit(), null);
  charge(10);
  t.equal(admit(), 'budget_exceeded');
});

test('a balance of a month that has passed without a charge shows nothing charged', async (t) => {
  const { charge, clock, days, monthCharged } = started(t, '2026-11-30T23:59:59.999Z');
  charge(10);
  await days();
  t.equal(monthCharged(), 10n);
  clock.advance(1);
  t.equal(monthCharged(), 0n);
});

test('prices that change in the middle of a day: each charge is at its own', async (t) => {
  const { charge, clock, days, store } = started(t, '2026-11-21T10:00:00.000Z');
  for (const price of [1_500n, 2n, 1_500n, 0n]) {
    charge(7, price);
    charge(3, price);
    clock.advance(3_600_000);
    t.ok(await days());
  }
  t.strictSame((await days()).sort(), ['2026-11-21 10 × 0', '2026-11-21 10 × 2', '2026-11-21 20 × 1500']);
  t.equal(balanceOf(store, getWorkspace(store, 'acme'), clock.now()).charged, 30_020n);
});

test('a price that changes while a request runs: it pays the reserved price', async (t) => {
  const { days, reserve, token } = started(t, '2026-11-21T10:00:00.000Z');
  const held = reserve(token, 10, 5n);
  reserve(token, 10, 6n).post();
  held.post();
  t.strictSame(await days(), ['2026-11-21 10 × 5', '2026-11-21 10 × 6']);
});

test('clock glitches: a month that returns has its charges and budget', async (t) => {
  const { access, caller, charge, clock, days, store, token, monthCharged } = started(
    t,
    '2026-11-30T22:00:00.000Z',
  );
  changeWorkspace(store, clock, 'acme', { budget: 10n });
  charge(4);
  clock.set(at('2026-12-01T00:00:00.000Z'));
  charge(5);
  clock.set(at('2026-11-30T23:00:00.000Z'));
  charge(6);
  t.strictSame(await days(), ['2026-11-30 10 × 1', '2026-12-01 5 × 1']);
  const admit = (to: FolderAccess) => thrown(() => to.admit(to.authenticate([`Bearer ${token}`]), 1));
  t.equal(
    thrown(() => access.admit(caller(token), 1)),
    'budget_exceeded',
  );
  // Another process, after a restart, reads the same from the disk.
  const next = new FolderAccess(store, clock, (error) => t.fail(String(error)));
  t.equal(admit(next), 'budget_exceeded');
  t.equal(monthCharged(), 10n);
  clock.set(at('2026-12-01T00:00:00.000Z'));
  for (const each of [access, next]) t.equal(admit(each), null);
  t.equal(monthCharged(), 5n);
  charge(5);
  t.equal(admit(access), 'budget_exceeded');
  t.strictSame(await days(), ['2026-11-30 10 × 1', '2026-12-01 10 × 1']);
});

test('clock glitches: one request at a wrong date does not pin the month', async (t) => {
  const { access, caller, charge, clock, days, store, token, monthCharged } = started(
    t,
    '2026-11-10T12:00:00.000Z',
  );
  changeWorkspace(store, clock, 'acme', { budget: 10n });
  charge(4);
  const real = clock.now();
  clock.set(real + 40 * DAY_MS);
  charge(1);
  clock.set(real);
  t.equal(monthCharged(), 0n, 'nothing is on the disk yet');
  charge(6);
  const admit = () => thrown(() => access.admit(caller(token), 1));
  t.equal(admit(), 'budget_exceeded', 'the budget of November is used up');
  t.strictSame(await days(), ['2026-11-10 10 × 1', '2026-12-20 1 × 1']);
  t.equal(monthCharged(), 10n);
  clock.set(at('2026-12-01T00:00:00.000Z'));
  t.equal(admit(), null, 'a new month, a new budget');
});

test('clock glitches: no budget begins anew while the calendar is uncertain', async (t) => {
  const { clock, days, store, token, charge, monthCharged } = started(t, '2026-11-10T12:00:00.000Z');
  changeWorkspace(store, clock, 'acme', { budget: 10n });
  charge(10);
  await days();
  const before = clock.now();
  clock.set(at('2026-12-20T12:00:00.000Z'));
  let isCertain = false;
  const doubtful = { ...clock, settled: () => (isCertain ? clock.now() : before) };
  const next = new FolderAccess(store, doubtful, (error) => t.fail(String(error)));
  const { caller, reserve } = dealings(store, clock, next);
  const admit = () => thrown(() => next.admit(caller(token), 1));
  t.equal(admit(), 'budget_exceeded');
  changeWorkspace(store, clock, 'acme', { budget: 15n });
  reserve(token, 5).post();
  await next.flush();
  t.strictSame(await days(), ['2026-11-10 10 × 1', '2026-12-20 5 × 1'], 'on the day that the calendar shows');
  t.equal(monthCharged(), 5n);
  t.match(next.balance(caller(token).workspace), { monthCharged: 5n });
  t.match(await next.usage(caller(token), 1), { to: '2026-12-20', rows: [{ amount: 5n }] });
  t.equal(admit(), 'budget_exceeded', 'against the budget of both months');
  // A restart does not begin a budget either.
  const third = new FolderAccess(store, doubtful, (error) => t.fail(String(error)));
  t.equal(
    thrown(() => third.admit(caller(token), 1)),
    'budget_exceeded',
  );
  isCertain = true;
  t.equal(admit(), null);
  reserve(token, 10).post();
  t.equal(admit(), 'budget_exceeded', 'what was charged in doubt counts in its month');
  await next.flush();
  t.strictSame(await days(), ['2026-11-10 10 × 1', '2026-12-20 15 × 1']);
});

test('a clock that is set back within a month: the charge counts for the day it shows', async (t) => {
  const { charge, clock, days } = started(t, '2026-11-21T00:00:00.000Z');
  charge(1);
  await days();
  clock.set(at('2026-11-20T23:00:00.000Z'));
  charge(2);
  t.strictSame(await days(), ['2026-11-20 2 × 1', '2026-11-21 1 × 1']);
  clock.set(at('2026-11-21T01:00:00.000Z'));
  charge(4);
  t.strictSame(
    await days(),
    ['2026-11-20 2 × 1', '2026-11-21 5 × 1'],
    'a counter that was forgotten goes on',
  );
});

test('live and batch, models and keys have separate counters', async (t) => {
  const { access, clock, days, key, store, token } = started(t, '2026-11-21T10:00:00.000Z');
  const { caller } = dealings(store, clock, access);
  for (const model of ['a', 'b']) {
    for (const kind of ['live', 'batch'] as const) {
      access.reserve(caller(token), { model, kind, inputTokens: 5, price: 3n }).post();
    }
  }
  t.equal((await days()).length, 4);
  t.match(
    readUsage(store, {}).map(({ model, kind, amount, requests }) => [model, kind, amount, requests]),
    [
      ['a', 'batch', 15n, 1],
      ['a', 'live', 15n, 1],
      ['b', 'batch', 15n, 1],
      ['b', 'live', 15n, 1],
    ],
  );
  t.ok(readUsage(store, {}).every((row) => row.key === key.id));
});
