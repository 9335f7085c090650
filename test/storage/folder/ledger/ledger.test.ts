import { test } from 'tap';
import type { Reservation } from '../../../../src/access/index.js';
import { systemClock } from '../../../../src/base/index.js';
import { balanceOf } from '../../../../src/storage/folder/administration/reports.js';
import { getWorkspace } from '../../../../src/storage/folder/administration/rows.js';
import { reconcile } from '../../../../src/storage/folder/index.js';
import { FolderAccess } from '../../../../src/storage/folder/ledger/folder-access.js';
import { changeWorkspace, createKey, grantCredit } from '../../../support/access/folder-changes.js';
import { dealings, opened, thrown } from '../../../support/access/opened.js';
import { random, seedFromEnvironment } from '../../../support/random.js';

const TOKENS = 220;
const PRICE = 1_500n;
const COST = BigInt(TOKENS) * PRICE;

test('credit for exactly N requests: N are accepted, and another one only when one of them ends without an answer', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const { integer } = random(seed);
  for (const count of [1, 2, 7, 100]) {
    const { store, access, clock, workspace, reserve } = opened(t);
    const one = workspace('acme', BigInt(count) * COST);
    const tokens = [one.token, createKey(store, clock, 'acme').token];
    const held: Reservation[] = [];
    let answered = 0;
    let refused = 0;
    // Many more come than there is credit for; meanwhile those under way end, in any order.
    for (let arrival = 0; arrival < 10 * count; arrival += 1) {
      const type = thrown(() => held.push(reserve(tokens[arrival % 2] as string, TOKENS, PRICE)));
      const full = held.length + answered >= count;
      if (type === 'out_of_credit') refused += 1;
      else if (type !== null) t.fail(String(type));
      if (held.length + answered > count) t.fail(`${held.length} under way, ${answered} answered`);
      if (type !== null && !full) t.fail(`refused with ${held.length} under way and ${answered} answered`);
      if (held.length === 0 || integer(3) > 0) continue;
      const [settled] = held.splice(integer(held.length), 1) as [Reservation];
      if (integer(4) === 0) settled.release();
      else {
        settled.post();
        answered += 1;
      }
    }
    // The last ones may have ended without an answer, behind which nothing came.
    while (held.length + answered < count) held.push(reserve(one.token, TOKENS, PRICE));
    for (const each of held) each.post();
    await access.flush();
    t.ok(refused > 0);
    t.equal(
      thrown(() => reserve(one.token, TOKENS, PRICE)),
      'out_of_credit',
    );
    t.match(balanceOf(store, getWorkspace(store, 'acme'), clock.now()), {
      balance: 0n,
      charged: BigInt(count) * COST,
    });
    t.strictSame(reconcile(store).problems, []);
  }
});

test('credit one unit short of N requests accepts N − 1', async (t) => {
  const { store, clock, workspace, reserve } = opened(t);
  const { token } = workspace('acme', 3n * COST - 1n);
  for (let request = 0; request < 2; request += 1) reserve(token, TOKENS, PRICE).post();
  t.equal(
    thrown(() => reserve(token, TOKENS, PRICE)),
    'out_of_credit',
  );
  grantCredit(store, clock, 'acme', 1n);
  reserve(token, TOKENS, PRICE).post();
});

test('a budget for exactly N requests accepts N; raised or removed, more at once', async (t) => {
  const { access, store, caller, workspace, reserve } = opened(t);
  const { token } = workspace('acme', 100n * COST);
  const set = (budget: bigint | null) => changeWorkspace(store, systemClock, 'acme', { budget });
  set(3n * COST);
  const held = [1, 2, 3].map(() => reserve(token, TOKENS, PRICE));
  t.equal(
    thrown(() => reserve(token, TOKENS, PRICE)),
    'budget_exceeded',
  );
  t.equal(
    thrown(() => access.admit(caller(token), 1)),
    null,
    'what is under way has not been charged yet',
  );
  for (const each of held) each.post();
  t.equal(
    thrown(() => access.admit(caller(token), 1)),
    'budget_exceeded',
  );
  set(4n * COST);
  reserve(token, TOKENS, PRICE).post();
  t.equal(
    thrown(() => reserve(token, TOKENS, PRICE)),
    'budget_exceeded',
  );
  set(null);
  reserve(token, TOKENS, PRICE).post();
});

test('a workspace pays only for its own requests', async (t) => {
  const { workspace, reserve } = opened(t);
  const poor = workspace('poor', COST);
  const rich = workspace('rich', 2n * COST);
  const held = reserve(poor.token, TOKENS, PRICE);
  t.equal(
    thrown(() => reserve(poor.token, TOKENS, PRICE)),
    'out_of_credit',
  );
  reserve(rich.token, TOKENS, PRICE).post();
  held.release();
  reserve(poor.token, TOKENS, PRICE).post();
  reserve(rich.token, TOKENS, PRICE).post();
});

test('a reservation is settled once: either posted or released', async (t) => {
  const { access, store, clock, workspace, reserve } = opened(t);
  const { token } = workspace('acme', 10n * COST);
  const posted = reserve(token, TOKENS, PRICE);
  posted.post();
  t.throws(() => posted.post(), /settled twice/);
  t.throws(() => posted.release(), /settled twice/);
  const released = reserve(token, TOKENS, PRICE);
  released.release();
  t.throws(() => released.release(), /settled twice/);
  t.throws(() => released.post(), /settled twice/);
  await access.flush();
  t.equal(balanceOf(store, getWorkspace(store, 'acme'), clock.now()).charged, COST);
});

test('credit taken back during a request: that request is answered, and no later one', async (t) => {
  const { access, store, clock, workspace, reserve } = opened(t);
  const { token } = workspace('acme', 2n * COST);
  const held = reserve(token, TOKENS, PRICE);
  grantCredit(store, clock, 'acme', -2n * COST);
  t.equal(
    thrown(() => reserve(token, TOKENS, PRICE)),
    'out_of_credit',
  );
  held.post();
  await access.flush();
  t.equal(balanceOf(store, getWorkspace(store, 'acme'), clock.now()).balance, -COST);
  t.strictSame(reconcile(store).problems, []);
});

test('a free request is accepted if there is credit, and counted', async (t) => {
  const { access, caller, store, workspace, reserve } = opened(t);
  const { token } = workspace('acme', 1n);
  reserve(token, 1_000_000, 0n).post();
  const none = workspace('none', 0n);
  t.equal(
    thrown(() => access.admit(caller(none.token), 1)),
    'out_of_credit',
  );
  await access.flush();
  t.match(
    [...store.table('usage').entries('acme')],
    [{ value: { requests: 1, inputTokens: 1_000_000, amount: '0' } }],
  );
});

test('reservations end with the process', async (t) => {
  const { access, store, clock, workspace, reserve } = opened(t);
  const { token } = workspace('acme', 3n * COST);
  reserve(token, TOKENS, PRICE).post();
  for (let request = 0; request < 2; request += 1) reserve(token, TOKENS, PRICE);
  t.equal(
    thrown(() => reserve(token, TOKENS, PRICE)),
    'out_of_credit',
  );
  await access.flush();
  const next = dealings(store, clock, new FolderAccess(store, clock, (error) => t.fail(String(error))));
  for (let request = 0; request < 2; request += 1) next.reserve(token, TOKENS, PRICE);
  t.equal(
    thrown(() => next.reserve(token, TOKENS, PRICE)),
    'out_of_credit',
  );
  t.strictSame(reconcile(store).problems, []);
});

test('credit that changes after authentication counts when the cost is reserved', async (t) => {
  const { access, caller, store, clock, workspace } = opened(t);
  const { token } = workspace('acme', COST);
  const early = caller(token);
  const reserve = () =>
    access.reserve(early, { model: 'm', kind: 'live', inputTokens: TOKENS, price: PRICE }).release();
  grantCredit(store, clock, 'acme', -1n);
  t.equal(thrown(reserve), 'out_of_credit');
  grantCredit(store, clock, 'acme', 1n);
  t.equal(thrown(reserve), null);
  changeWorkspace(store, clock, 'acme', { budget: COST - 1n });
  t.equal(thrown(reserve), 'budget_exceeded');
});
