import { type Test, test } from 'tap';
import type { Reservation } from '../../../../src/access/index.js';
import { type Database, DatabaseUnavailable } from '../../../../src/storage/database/index.js';
import { LAST_WRITE_MS } from '../../../../src/storage/database/ledger/ledger.js';
import type { LedgerPart } from '../../../../src/storage/database/ledger/part.js';
import {
  accountOf,
  addWorkspace,
  chargeOf,
  sql,
  startNode,
  type TestNode,
  tryReserve,
} from '../../../support/cluster/nodes.js';
import { movableClock } from '../../../support/movable-clock.js';
import { NEEDS_POSTGRES, newDatabase } from '../../../support/postgres.js';
import { until } from '../../../support/until.js';

/** Ends a session as its expiry does, by the other nodes. */
const expire = (database: Database, session: number | null) =>
  sql(database, 'UPDATE nodes SET expires = 0 WHERE id = $1', [session]);

async function reserve(t: Test, node: TestNode, caller: Parameters<typeof tryReserve>[1], tokens: number) {
  const reservation = await tryReserve(node, caller, tokens);
  if (typeof reservation === 'string') t.fail(`the answer is ${reservation}`);
  return reservation as Reservation;
}

test(
  'the credit of a node that died returns, and charges that it had not written are lost',
  NEEDS_POSTGRES,
  async (t) => {
    const { url, database } = await newDatabase(t);
    const caller = await addWorkspace(database, 'one', { granted: 100n });
    const [dead, alive] = [await startNode(t, url), await startNode(t, url)];
    (await reserve(t, dead, caller, 10)).post();
    await dead.ledger.flush();
    await reserve(t, dead, caller, 60);
    (await reserve(t, dead, caller, 20)).post();
    dead.crash();
    t.equal(await tryReserve(alive, caller, 11), 'out_of_credit');
    await reserve(t, alive, caller, 10);
    await expire(database, dead.session.id);
    await until(async () => (await accountOf(t, database, 'one')).leased === '10');
    t.equal(
      await tryReserve(alive, caller, 81),
      'out_of_credit',
      '10 were charged, and 10 are reserved here',
    );
    await reserve(t, alive, caller, 80);
    t.equal((await accountOf(t, database, 'one')).charged, '10');
  },
);

test('a request waits for the lease of a dead node, and gets it', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const caller = await addWorkspace(database, 'one', { granted: 100n });
  const [dead, alive] = [await startNode(t, url), await startNode(t, url)];
  await reserve(t, dead, caller, 1);
  await sql(database, 'UPDATE credit_leases SET amount = 100');
  await sql(database, 'UPDATE accounts SET leased = 100, exact = false');
  dead.crash();
  let answer: unknown = null;
  const waiting = tryReserve(alive, caller, 100).then((given) => {
    answer = given;
  });
  const asked = () => alive.database.statements.get('ledger-read-accounts') ?? 0;
  await until(() => asked() >= 3);
  t.equal(answer, null, 'exchanges are repeated');
  await expire(database, dead.session.id);
  await waiting;
  t.type(answer, 'object');
});

test(
  'a node that is cut off refuses after 5 s; when it returns, its session is gone and it writes nothing',
  NEEDS_POSTGRES,
  async (t) => {
    const { url, database } = await newDatabase(t);
    const caller = await addWorkspace(database, 'one', { granted: 1_000_000n });
    const clock = movableClock();
    const away = await startNode(t, url, { clock, listens: false });
    await startNode(t, url);
    (await reserve(t, away, caller, 10)).post();
    await away.ledger.flush();
    const { id } = away.session;
    const [posted, late] = [await reserve(t, away, caller, 5), await reserve(t, away, caller, 5)];
    away.proxy.pause();
    posted.post();
    const waiting = tryReserve(away, caller, 900_000);
    clock.advance(5_001);
    t.equal(await waiting, 'overloaded');
    t.equal(await tryReserve(away, caller, 1), 'overloaded');
    t.equal(away.ledger.reserveLine(caller, chargeOf(1)), null);
    t.throws(() => late.post(), { type: 'overloaded' } as never);
    t.notOk(away.ledger.writable);
    await expire(database, id);
    await until(async () => (await sql(database, 'SELECT * FROM nodes')).length === 1);
    t.equal((await accountOf(t, database, 'one')).leased, '0');
    away.proxy.resume();
    await until(() => away.session.isServing);
    t.not(away.session.id, id);
    (await reserve(t, away, caller, 7)).post();
    await away.ledger.flush();
    t.equal((await accountOf(t, database, 'one')).charged, '17');
    t.ok(away.ledger.writable);
  },
);

test('a commit whose connection is lost is charged once', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const caller = await addWorkspace(database, 'one', { granted: 1_000n });
  const node = await startNode(t, url, { listens: false });
  let charged = 0;
  for (const how of ['not sent', 'not answered', 'late'] as const) {
    const reservation = await reserve(t, node, caller, 10);
    const asked = node.database.statements.get('ledger-read-number') ?? 0;
    node.proxy.loseCommit(how);
    reservation.post();
    charged += 10;
    await until(() =>
      node.ledger.flush().then(
        () => true,
        () => false,
      ),
    );
    t.equal(node.database.statements.get('ledger-read-number'), asked + 1);
    t.equal((await accountOf(t, database, 'one')).charged, String(charged), how);
    t.ok(node.ledger.writable);
  }
});

test('a part is written together with the charges of its turn, or not at all', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const caller = await addWorkspace(database, 'one', { granted: 1_000n });
  const node = await startNode(t, url, { listens: false });
  await sql(database, 'CREATE TABLE results (line int PRIMARY KEY)');
  let waiting: number[] = [];
  let failures = 2;
  const events: string[] = [];
  const part: LedgerPart = {
    take() {
      if (waiting.length === 0) return null;
      const taken = waiting;
      waiting = [];
      return {
        async write(transaction) {
          for (const line of taken)
            await transaction.execute({ name: '', text: 'INSERT INTO results VALUES ($1)' }, [line]);
          failures -= 1;
          if (failures >= 0) throw new DatabaseUnavailable('a part failed', '57014');
        },
        written: () => void events.push('written'),
        lost() {
          events.push('lost');
          waiting = [...taken, ...waiting];
        },
      };
    },
  };
  node.ledger.join(part);
  for (const line of [1, 2]) {
    const reservation = await reserve(t, node, caller, 10);
    waiting.push(line);
    reservation.post();
  }
  await until(() => events.includes('written'));
  t.strictSame(events, ['lost', 'lost', 'written']);
  t.strictSame(await sql(database, 'SELECT line FROM results ORDER BY line'), [{ line: 1 }, { line: 2 }]);
  t.equal((await accountOf(t, database, 'one')).charged, '20');
  waiting.push(4);
  node.ledger.changed();
  await until(() => events.length === 4);
  t.equal((await sql(database, 'SELECT line FROM results')).length, 3, 'without a charge');
  waiting.push(5);
  node.ledger.changed();
  node.session.lost(node.session.id as number);
  await until(() => node.session.isServing);
  t.equal(events.length, 4, 'no method of the part is called after the session was lost');
});

test(
  'a node serves again after requests have given up waiting for a database that was away',
  NEEDS_POSTGRES,
  async (t) => {
    const { url, database } = await newDatabase(t);
    const caller = await addWorkspace(database, 'one', { granted: 1_000n });
    const clock = movableClock();
    const node = await startNode(t, url, { clock, listens: false });
    node.proxy.cut(true);
    const waiting = tryReserve(node, caller, 10);
    await until(() => node.errors.length > 0);
    clock.advance(5_001);
    t.equal(await waiting, 'overloaded');
    // While the database is away, this succeeds only if there is nothing to write.
    await until(() =>
      node.ledger.flush().then(
        () => true,
        () => false,
      ),
    );
    node.proxy.cut(false);
    await until(async () => {
      clock.advance(100);
      return typeof (await tryReserve(node, caller, 10)) === 'object';
    });
  },
);

test('a node that stops writes its last charges when its database is back', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const caller = await addWorkspace(database, 'one', { granted: 1_000n });
  const node = await startNode(t, url, { listens: false });
  const reservation = await reserve(t, node, caller, 10);
  node.proxy.cut(true);
  reservation.post();
  const stopped = node.ledger.stop();
  await until(() => node.errors.length > 1);
  node.proxy.cut(false);
  await stopped;
  t.equal((await accountOf(t, database, 'one')).charged, '10');
});

test('a node that stops without its database ends with an error', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const caller = await addWorkspace(database, 'one', { granted: 1_000n });
  const clock = movableClock();
  const node = await startNode(t, url, { clock, listens: false });
  const reservation = await reserve(t, node, caller, 10);
  node.proxy.cut(true);
  reservation.post();
  const stopped = t.rejects(node.ledger.stop(), { name: 'DatabaseUnavailable' });
  await until(() => node.errors.length > 0);
  clock.advance(LAST_WRITE_MS);
  await stopped;
});

test(
  'a database that has lost the last exchanges, as after a failover, ends the session; the node serves again',
  NEEDS_POSTGRES,
  async (t) => {
    const { url, database } = await newDatabase(t);
    const caller = await addWorkspace(database, 'one', { granted: 1_000n });
    const node = await startNode(t, url, { listens: false });
    (await reserve(t, node, caller, 10)).post();
    await node.ledger.flush();
    const { id } = node.session;
    await sql(database, 'UPDATE nodes SET flushed = flushed - 1');
    (await reserve(t, node, caller, 5)).post();
    await t.rejects(node.ledger.flush(), { name: 'SessionLost' });
    await until(() => node.session.isServing);
    t.not(node.session.id, id);
    (await reserve(t, node, caller, 7)).post();
    await node.ledger.flush();
    t.equal((await accountOf(t, database, 'one')).charged, '17');
  },
);

test(
  'a failover that loses the lease ends the session although charges wait, and its credit returns at once',
  NEEDS_POSTGRES,
  async (t) => {
    const { url, database } = await newDatabase(t);
    const caller = await addWorkspace(database, 'one', { granted: 100n });
    const node = await startNode(t, url, { listens: false });
    await reserve(t, node, caller, 10);
    const { id } = node.session;
    // What a standby has that lacks the first exchange.
    await sql(database, 'UPDATE nodes SET flushed = 0');
    await sql(database, 'DELETE FROM credit_leases');
    await sql(database, 'DELETE FROM accounts');
    (await reserve(t, node, caller, 5)).post();
    await until(() => node.session.isServing && node.session.id !== id);
    t.match(node.errors, [{ name: 'SessionDefect' }]);
    t.strictSame(
      (await sql<{ id: number }>(database, 'SELECT id FROM nodes')).map((row) => row.id),
      [node.session.id],
      'the old session did not wait for its expiry',
    );
    (await reserve(t, node, caller, 100)).post();
    await node.ledger.flush();
    const { charged, leased } = await accountOf(t, database, 'one');
    t.strictSame([charged, leased], ['100', '0']);
  },
);

test(
  'a lease that the database does not have ends the session before it is written',
  NEEDS_POSTGRES,
  async (t) => {
    const { url, database } = await newDatabase(t);
    const caller = await addWorkspace(database, 'one', { granted: 1_000n });
    const node = await startNode(t, url, { listens: false });
    const first = await reserve(t, node, caller, 10);
    const { id } = node.session;
    await sql(database, 'UPDATE credit_leases SET amount = amount - 1');
    await sql(database, 'UPDATE accounts SET leased = leased - 1');
    first.post();
    await t.rejects(node.ledger.flush(), { name: 'SessionLost', cause: { name: 'SessionDefect' } });
    await until(() => node.session.isServing);
    t.not(node.session.id, id);
    (await reserve(t, node, caller, 7)).post();
    await node.ledger.flush();
    t.equal((await accountOf(t, database, 'one')).charged, '7');
    t.equal(node.session.failures, 1);
  },
);

test('books that do not add up end the session, not the request alone', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const caller = await addWorkspace(database, 'one', { granted: 1_000n });
  const node = await startNode(t, url, { listens: false });
  for (const settle of ['post', 'release'] as const) {
    const { id } = node.session;
    const held = await reserve(t, node, caller, 10);
    // What a defect would do: the reservation was returned already.
    node.ledger['holdings']?.credit('one').book.release(10n);
    if (settle === 'post') t.throws(() => held.post(), { type: 'overloaded' } as never);
    else held.release();
    t.not(node.session.id, id);
    t.match(node.errors.at(-1), { name: 'SessionDefect', message: /negative/ });
    await until(() => node.session.isServing);
  }
  (await reserve(t, node, caller, 1_000)).post();
  await node.ledger.flush();
  t.equal((await accountOf(t, database, 'one')).charged, '1000');
});

test('an exchange is written once although a listener throws', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const caller = await addWorkspace(database, 'one', { granted: 1_000n });
  const node = await startNode(t, url, { listens: false });
  const fail = () => {
    throw new Error('a listener failed');
  };
  node.ledger.onFunds(fail);
  let changes = 1;
  const lost: string[] = [];
  node.ledger.join({
    take() {
      changes -= 1;
      return changes < 0
        ? null
        : { write: async () => {}, written: fail, lost: () => void lost.push('lost') };
    },
  });
  (await reserve(t, node, caller, 10)).post();
  node.ledger.reserveLine(caller, chargeOf(100));
  await node.ledger.flush();
  await node.ledger.flush();
  t.strictSame(lost, []);
  t.match(node.errors, [{ message: 'a listener failed' }, { message: 'a listener failed' }]);
  t.equal((await accountOf(t, database, 'one')).charged, '10');
});

test(
  'reads of a caller share an exchange, and are refused while the database is away',
  NEEDS_POSTGRES,
  async (t) => {
    const { url, database } = await newDatabase(t);
    const caller = await addWorkspace(database, 'one', { granted: 1_000n });
    const clock = movableClock();
    const node = await startNode(t, url, { clock, listens: false });
    const read = () => node.ledger.balance(caller.workspace);
    const reads = Array.from({ length: 50 }, async () => {
      (await reserve(t, node, caller, 1)).post();
      return read();
    });
    for (const { charged } of await Promise.all(reads)) t.ok(charged > 0n);
    t.equal((await read()).charged, 50n);
    t.ok((node.database.statements.get('ledger-number') ?? 0) < 10, 'exchanges');
    node.proxy.cut(true);
    (await reserve(t, node, caller, 1)).post();
    await t.rejects(read(), { type: 'overloaded' } as never);
    await t.rejects(node.ledger.usageOf(caller, ['2026-11-22']), { type: 'overloaded' } as never);
    node.proxy.cut(false);
    await until(() =>
      read().then(
        ({ charged }) => charged === 51n,
        () => false,
      ),
    );
    const waiting = [1, 2].map(async () => (await reserve(t, node, caller, 1)).post());
    await Promise.all(waiting);
    node.proxy.pause();
    const slow = read();
    clock.advance(5_000);
    await t.rejects(slow, { type: 'overloaded' } as never);
    node.proxy.resume();
  },
);
