import { test } from 'tap';
import type { Grant } from '../../../../src/storage/database/ledger/grant.js';
import { Holdings, UNWRITTEN_COUNTERS_MAX } from '../../../../src/storage/database/ledger/holdings.js';
import { LINE_NEEDS_MAX, LINES_HELD_MS } from '../../../../src/storage/database/ledger/line-needs.js';
import { IDLE_MS } from '../../../../src/storage/database/ledger/recent-use.js';
import { type Request, WorkspaceCredit } from '../../../../src/storage/database/ledger/workspace-credit.js';

const EXACT = { accountExact: true, leaseExact: true };
const FREE = { accountExact: false, leaseExact: false };

/** All needs granted, and some unused credit. */
const granted = ({ needs }: Request, unused: bigint, mode = FREE): Grant => {
  const reserved = needs.reduce((sum, need) => sum + need, 0n);
  return { answers: needs.map(() => 'granted'), granted: reserved + unused, reserved, ...mode };
};

/** Credit with a lease. */
function creditWith(unused: bigint, mode = FREE): WorkspaceCredit {
  const credit = new WorkspaceCredit();
  credit.coversLine(1n);
  const request = credit.open(0, false) as Request;
  credit.settle(request, granted(request, unused, mode), 0);
  credit.reserveLine(1n, 0);
  credit.book.release(1n);
  return credit;
}

test('an exact lease returns what is released with the next exchange', async (t) => {
  const credit = creditWith(0n, EXACT);
  t.equal(credit.book.free, 1n);
  const request = credit.open(1, false);
  t.match(request, { exchange: { returned: 1n, isWhole: true }, needs: [], wanted: 2n });
  t.equal(credit.book.free, 0n, 'it is not used meanwhile');
  t.notOk(credit.reserve(1n, 1));
  credit.abandon();
  t.ok(credit.reserve(1n, 1), 'it was not returned');
});

test('a lease that is not exact is used without exchanges, until it is recalled or idle', async (t) => {
  const credit = creditWith(10n);
  t.equal(credit.open(IDLE_MS - 1, false), null);
  t.match(credit.open(IDLE_MS, false), { exchange: { returned: 11n }, wanted: 0n });
  credit.abandon();
  t.ok(credit.reserve(11n, IDLE_MS));
  t.equal(credit.open(IDLE_MS, false), null);
  t.ok(credit.mayBeRecalled);
  credit.recall();
  t.notOk(credit.mayBeRecalled);
  const request = credit.open(IDLE_MS, false) as Request;
  t.match(request, { exchange: { returned: 0n, isWhole: true } }, 'to tell that nothing is unused');
  credit.settle(request, { answers: [], granted: 0n, reserved: 0n, ...EXACT }, IDLE_MS);
  t.equal(credit.open(IDLE_MS, false), null);
});

test('a second exchange of a lease is a defect', async (t) => {
  const credit = creditWith(10n);
  t.ok(credit.open(0, true));
  t.throws(() => credit.open(0, true), /in progress/);
});

test('waiting requests are served from what is released, and those given up take nothing', async (t) => {
  const credit = creditWith(0n);
  t.ok(credit.reserve(1n, 0));
  const events: string[] = [];
  const wait = (name: string, cost: bigint, since: number) =>
    credit.wait({
      cost,
      since,
      granted: () => void events.push(`${name} granted`),
      refused: (pause) => void events.push(`${name} ${pause}`),
      failed: () => void events.push(`${name} failed`),
    });
  wait('one', 1n, 10);
  wait('two', 2n, 20);
  wait('three', 3n, 30);
  credit.book.release(1n);
  const request = credit.open(40, false) as Request;
  t.strictSame(events, ['one granted']);
  t.strictSame(request.needs, [2n, 3n]);
  credit.failWaiting(20);
  const grant: Grant = { answers: ['granted', 'out_of_credit'], granted: 2n, reserved: 2n, ...EXACT };
  t.match(credit.settle(request, grant, 40), { hasFunds: false, mustWait: false });
  t.strictSame(events, ['one granted', 'two failed', 'three out_of_credit']);
  t.equal(credit.book.free, 2n, 'what was granted to a request that was given up');
});

for (const answer of ['granted', 'out_of_credit'] as const) {
  test(`a request that comes during an exchange does not get the answer to a line: ${answer}`, async (t) => {
    const credit = new WorkspaceCredit();
    credit.reserveLine(5n, 0);
    const request = credit.open(0, false) as Request;
    const events: string[] = [];
    credit.wait({
      cost: 500n,
      since: 1,
      granted: () => void events.push('granted'),
      refused: (pause) => void events.push(pause),
      failed: () => void events.push('failed'),
    });
    credit.reserveLine(7n, 1);
    t.strictSame(
      [request.waiters.length, request.lines],
      [0, [5n]],
      'what the exchange took does not change',
    );
    t.ok([request, request.waiters, request.lines, request.needs].every(Object.isFrozen));
    const reserved = answer === 'granted' ? 5n : 0n;
    credit.settle(request, { answers: [answer], granted: reserved, reserved, ...EXACT }, 2);
    t.strictSame(events, []);
    t.equal(credit.book.reserved, reserved);
    t.strictSame(credit.open(3, false)?.needs, [500n, 7n]);
  });
}

test('a grant that does not answer the request is a defect', async (t) => {
  const begun = () => {
    const credit = new WorkspaceCredit();
    credit.reserveLine(5n, 0);
    return { credit, request: credit.open(0, false) as Request };
  };
  const wrong: readonly Grant[] = [
    { answers: [], granted: 5n, reserved: 5n, ...EXACT },
    { answers: ['granted', 'granted'], granted: 5n, reserved: 5n, ...EXACT },
    { answers: ['granted'], granted: 5n, reserved: 4n, ...EXACT },
    { answers: ['granted'], granted: 4n, reserved: 5n, ...EXACT },
    { answers: ['out_of_credit'], granted: 5n, reserved: 5n, ...EXACT },
  ];
  for (const grant of wrong) {
    const { credit, request } = begun();
    t.throws(() => credit.settle(request, grant, 1), { name: 'SessionDefect' });
  }
  const [one, other] = [begun(), begun()];
  t.throws(() => one.credit.settle(other.request, granted(other.request, 0n), 1), { name: 'SessionDefect' });
});

test('credit for lines is held for a second', async (t) => {
  const credit = new WorkspaceCredit();
  t.notOk(credit.reserveLine(5n, 0));
  t.notOk(credit.reserveLine(7n, 0));
  const request = credit.open(0, false) as Request;
  t.strictSame(request.needs, [5n, 7n]);
  t.match(credit.settle(request, granted(request, 0n, EXACT), 0), { hasFunds: true });
  t.equal(credit.open(LINES_HELD_MS - 1, false), null);
  t.ok(credit.coversLine(12n));
  t.match(credit.open(LINES_HELD_MS, false), { exchange: { returned: 12n } });
});

test(`at most ${LINE_NEEDS_MAX} costs of lines are requested at a time`, async (t) => {
  const credit = new WorkspaceCredit();
  for (let cost = 1; cost <= LINE_NEEDS_MAX + 1; cost += 1) credit.reserveLine(BigInt(cost), 0);
  credit.reserveLine(1n, 0);
  t.equal(credit.open(0, false)?.needs.length, LINE_NEEDS_MAX);
});

test('unused holdings are forgotten, and unwritten counters are bounded', async (t) => {
  const holdings = new Holdings(1);
  const charge = { model: 'm', kind: 'live', inputTokens: 1, price: 0n } as const;
  const before = holdings.credit('one');
  holdings.sweep();
  t.equal(holdings.find('one'), before, 'it was used since the last exchange');
  holdings.take(0);
  holdings.sweep();
  t.equal(holdings.find('one'), undefined);
  for (let key = 1; key < UNWRITTEN_COUNTERS_MAX; key += 1) holdings.count('one', String(key), charge, 0n);
  t.notOk(holdings.isFull);
  holdings.count('one', 'last', charge, 0n);
  t.ok(holdings.isFull);
  holdings.count('one', 'last', charge, 0n);
  const taken = holdings.take(0);
  t.equal(taken.usage.length, UNWRITTEN_COUNTERS_MAX);
  t.match(taken.usage.at(-1), { key: 'last', requests: 2, inputTokens: 2 });
  t.notOk(holdings.isFull);
  holdings.putBack(taken);
  t.ok(holdings.isFull);
});
