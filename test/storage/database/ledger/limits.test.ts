import { test } from 'tap';
import type { Reservation } from '../../../../src/access/index.js';
import {
  accountOf,
  addWorkspace,
  chargeOf,
  sql,
  startNode,
  tryReserve,
} from '../../../support/cluster/nodes.js';
import { movableClock } from '../../../support/movable-clock.js';
import { NEEDS_POSTGRES, newDatabase } from '../../../support/postgres.js';
import { until } from '../../../support/until.js';

const day = () => new Date().toISOString().slice(0, 10);
const month = () => day().slice(0, 7);

test('a reservation that the lease covers does not wait', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const caller = await addWorkspace(database, 'one', { granted: 1_000_000n });
  const { ledger } = await startNode(t, url);
  const before = day();
  const first = ledger.reserve(caller, chargeOf(10));
  t.type(first, Promise);
  (await first).post();
  const second = ledger.reserve(caller, chargeOf(10));
  t.notOk(second instanceof Promise);
  (second as Reservation).release();
  t.throws(() => (second as Reservation).post(), /settled twice/);
  await ledger.flush();
  t.equal((await accountOf(t, database, 'one')).charged, '10');
  const balance = await ledger.balance(caller.workspace);
  t.strictSame(balance, { credit: 999_990n, charged: 10n, reserved: 0n, monthCharged: 10n });
  // Of one day, though midnight may be between them.
  const days = [...new Set([before, day()])];
  t.match(await ledger.usageOf(caller, days), [{ requests: 1, inputTokens: 10, amount: 10n }]);
});

test('requests that cost nothing are counted', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const caller = await addWorkspace(database, 'one', { granted: 1n });
  const { ledger } = await startNode(t, url);
  const reservation = ledger.reserve(caller, { ...chargeOf(5), price: 0n });
  (await reservation).post();
  await ledger.flush();
  t.match(await sql(database, 'SELECT requests, input_tokens, amount FROM usage'), [
    { requests: 1, input_tokens: 5, amount: '0' },
  ]);
});

test('the month of a budget is by the clock of the database', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const caller = await addWorkspace(database, 'one', { granted: 1_000n, budget: 25n });
  await sql(
    database,
    `INSERT INTO accounts (workspace, charged, month, month_charged) VALUES ('one', 400, '2020-02', 25)`,
  );
  await sql(database, `INSERT INTO usage VALUES ('one', '2020-02-01', 'k', 'm', 'live', 1, 1, 375, 375)`);
  await sql(database, `INSERT INTO usage VALUES ('one', '${month()}-01', 'k', 'm', 'live', 1, 1, 25, 5)`);
  await sql(database, `UPDATE usage SET amount = 395 WHERE day = '2020-02-01'`);
  const [one, two] = [await startNode(t, url), await startNode(t, url)];
  const answers = [];
  for (const node of [one, two, one, two]) {
    const reservation = await tryReserve(node, caller, 10);
    answers.push(typeof reservation === 'string' ? reservation : 'answered');
    if (typeof reservation !== 'string') reservation.post();
  }
  t.strictSame(
    answers,
    ['answered', 'answered', 'budget_exceeded', 'budget_exceeded'],
    '5 were charged before',
  );
  await Promise.all([one.ledger.flush(), two.ledger.flush()]);
  t.match(await accountOf(t, database, 'one'), { charged: '420', month_charged: '25' });
  await sql(database, 'UPDATE workspaces SET budget = 35');
  t.type(await tryReserve(two, caller, 10), 'object', 'a higher budget');
  t.equal(await tryReserve(one, caller, 1), 'budget_exceeded');
});

test(
  'credit that is taken back is returned by the nodes; credit that is added ends the recall',
  NEEDS_POSTGRES,
  async (t) => {
    const { url, database } = await newDatabase(t);
    const caller = await addWorkspace(database, 'one', { granted: 1_000_000n });
    const nodes = [
      await startNode(t, url, { listens: false }),
      await startNode(t, url, { listens: false }),
    ] as const;
    for (const node of nodes) ((await tryReserve(node, caller, 1_000)) as Reservation).post();
    for (const { ledger } of nodes) await ledger.flush();
    t.ok(Number((await accountOf(t, database, 'one')).leased) > 0);
    await sql(database, 'UPDATE workspaces SET granted = 2500');
    const held = await tryReserve(nodes[0], caller, 400);
    t.type(held, 'object');
    t.equal(await tryReserve(nodes[1], caller, 5_000), 'out_of_credit');
    await until(async () => (await accountOf(t, database, 'one')).leased === '400');
    t.equal(await tryReserve(nodes[1], caller, 101), 'out_of_credit');
    t.type(await tryReserve(nodes[1], caller, 100), 'object');
    await sql(database, 'UPDATE workspaces SET granted = 1000000');
    t.type(await tryReserve(nodes[1], caller, 1_000), 'object');
    await until(async () => !(await accountOf(t, database, 'one')).exact);
  },
);

test('unused credit is returned after 5 s without a reservation', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const caller = await addWorkspace(database, 'one', { granted: 1_000_000n });
  const clock = movableClock();
  const node = await startNode(t, url, { clock });
  const kept = (await tryReserve(node, caller, 10)) as Reservation;
  ((await tryReserve(node, caller, 10)) as Reservation).post();
  await node.ledger.flush();
  t.ok(Number((await accountOf(t, database, 'one')).leased) > 10);
  clock.advance(4_500);
  await node.ledger.flush();
  await until(() => node.session.isServing);
  clock.advance(1_500);
  await until(async () => (await accountOf(t, database, 'one')).leased === '10');
  kept.release();
  await until(async () => (await accountOf(t, database, 'one')).leased === '0');
  t.strictSame(await sql(database, 'SELECT * FROM credit_leases'), []);
});

test('lines of a batch: onFunds is called when they may be covered', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const caller = await addWorkspace(database, 'one', { granted: 100n });
  const [one, two] = [await startNode(t, url), await startNode(t, url)];
  let wanted = 60;
  const taken: (Reservation | null)[] = [];
  // As the runner does: what is held for lines and not used returns after a second.
  one.ledger.onFunds(() => void taken.push(one.ledger.reserveLine(caller, chargeOf(wanted))));
  t.equal(one.ledger.reserveLine(caller, chargeOf(60)), null);
  t.notOk(one.ledger.covers(caller, chargeOf(60)));
  await until(() => taken.length === 1);
  t.type(taken[0], 'object');
  t.equal(await tryReserve(two, caller, 50), 'out_of_credit');
  t.equal(one.ledger.reserveLine(caller, chargeOf(50)), null);
  const asked = () => one.database.statements.get('ledger-read-accounts') ?? 0;
  const before = asked();
  await until(() => asked() > before);
  await one.ledger.flush();
  t.equal(taken.length, 1, 'it is not covered');
  wanted = 50;
  taken[0]?.release();
  // The runner tries again every second.
  await until(() => taken.length > 1 || (one.ledger.covers(caller, chargeOf(50)) && taken.length > 1));
  t.type(taken[1], 'object');
  t.type(await tryReserve(two, caller, 50), 'object', 'what was held for lines and not used returns');
  t.equal(await tryReserve(two, caller, 1), 'out_of_credit');
});

test('a workspace is paused on a node after an exchange was refused', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const caller = await addWorkspace(database, 'one', { granted: 10n, budget: 100n });
  const { ledger, ...node } = await startNode(t, url);
  t.equal(ledger.pause(caller.workspace), null);
  ((await tryReserve({ ...node, ledger }, caller, 10)) as Reservation).post();
  t.equal(ledger.pause(caller.workspace), 'out_of_credit');
  t.throws(() => ledger.checkPaused(caller.workspace), { type: 'out_of_credit' } as never);
  t.equal(ledger.pause({ ...caller.workspace, granted: 20n }), null);
  t.equal(ledger.pause({ ...caller.workspace, granted: 20n, budget: 10n }), 'budget_exceeded');
});
