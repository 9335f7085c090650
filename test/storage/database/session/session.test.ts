import { type Test, test } from 'tap';
import type { Database } from '../../../../src/storage/database/index.js';
import { DATABASE_FORMAT } from '../../../../src/storage/database/postgres/schema/migrations.js';
import { fence, SessionLost } from '../../../../src/storage/database/session/fence.js';
import {
  GRACE_MS,
  HEARTBEAT_MS,
  REJOIN_MS_MAX,
  SERVING_MS,
  Session,
} from '../../../../src/storage/database/session/session.js';
import { DatabaseClock } from '../../../../src/storage/database/session/session-clock.js';
import { nextState } from '../../../../src/storage/database/session/states.js';
import { fakeClock } from '../../../support/fake-clock.js';
import { connectTo, NEEDS_POSTGRES, newDatabase, postgres } from '../../../support/postgres.js';
import { TcpProxy } from '../../../support/tcp-proxy.js';
import { until } from '../../../support/until.js';

const sql = <Row extends object>(database: Database, text: string) => database.query<Row>({ name: '', text });

function newSession(t: Test, database: Database, name = 'one') {
  const clock = fakeClock(Date.now());
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const session = new Session({ database, clock, node: { name, version: '1.0.0' }, onError });
  t.teardown(() => session.stop().catch(() => {}));
  return { session, clock, errors };
}

test('a session has a row, which heartbeats extend', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const { session, clock } = newSession(t, database);
  t.notOk(session.isServing);
  await session.start();
  t.ok(session.isServing);
  const [row] = await sql<{ id: number; expires: number; seen: number }>(database, 'SELECT * FROM nodes');
  t.match(row, { id: session.id, name: 'one', version: '1.0.0', format: DATABASE_FORMAT, flushed: 0 });
  t.equal((row?.expires ?? 0) - (row?.seen ?? 0), 10_000);
  t.ok(Math.abs(session.clock.now() - (row?.seen ?? 0)) < 1_000, 'the time of the database');
  // The heartbeat may come in the millisecond of the registration.
  await sql(database, 'UPDATE nodes SET seen = 0');
  clock.advance(HEARTBEAT_MS);
  await until(async () => {
    const [{ seen } = { seen: 0 }] = await sql<{ seen: number }>(database, 'SELECT seen FROM nodes');
    return seen >= (row?.seen ?? Number.POSITIVE_INFINITY);
  });
  await session.stop();
  t.strictSame(await sql(database, 'SELECT * FROM nodes'), []);
  t.notOk(session.isServing);
});

test('a node counts the sessions', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const [one, two] = [newSession(t, database), newSession(t, database, 'two')];
  await one.session.start();
  await two.session.start();
  t.equal(one.session.nodes, 1);
  t.equal(two.session.nodes, 2);
  one.clock.advance(HEARTBEAT_MS);
  await until(() => one.session.nodes === 2);
});

test('without heartbeats a node serves for 5 s, and not longer', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const proxy = await TcpProxy.start(t, (await postgres()).port);
  const away = connectTo(t, url.replace(/:\d+\//, `:${proxy.port}/`));
  const { session, clock, errors } = newSession(t, away);
  await session.start();
  const { id } = session;
  proxy.cut(true);
  clock.advance(SERVING_MS);
  t.ok(session.isServing);
  clock.advance(1);
  t.notOk(session.isServing);
  await until(() => errors.length > 0);
  proxy.cut(false);
  clock.advance(HEARTBEAT_MS);
  await until(() => session.isServing);
  t.equal(session.id, id, 'it was not reaped meanwhile, so it is the same session');
  t.equal((await sql(database, 'SELECT * FROM nodes')).length, 1);
});

test('a machine that was suspended does not serve when it resumes', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const { session, clock } = newSession(t, database);
  await session.start();
  clock.set(clock.now() + SERVING_MS + 1);
  t.notOk(session.isServing);
  clock.advance(HEARTBEAT_MS);
  await until(() => session.isServing);
});

test(
  'an expired session is deleted by another node, and what it held is returned',
  NEEDS_POSTGRES,
  async (t) => {
    const { database } = await newDatabase(t);
    const [dead, alive] = [newSession(t, database), newSession(t, database, 'two')];
    await dead.session.start();
    await alive.session.start();
    const [id, other] = [dead.session.id, alive.session.id];
    for (const text of [
      `INSERT INTO accounts (workspace, month, leased) VALUES ('a', '2026-11', 30), ('b', '2026-11', 5)`,
      `INSERT INTO credit_leases VALUES ('a', ${id}, 10), ('a', ${other}, 20), ('b', ${id}, 5)`,
      `INSERT INTO batch_chunks (batch, chunk, node) VALUES ('x', 0, ${id}), ('x', 1, ${other})`,
      `INSERT INTO duties VALUES ('batches', ${id})`,
      `UPDATE nodes SET expires = 0 WHERE id = ${id}`,
    ])
      await sql(database, text);
    let lost = 0;
    dead.session.onLost(() => {
      lost += 1;
      t.equal(dead.session.id, null);
    });
    alive.clock.advance(HEARTBEAT_MS);
    await until(async () => (await sql(database, 'SELECT * FROM nodes')).length === 1);
    const leased = await sql(database, 'SELECT workspace, leased FROM accounts ORDER BY workspace');
    t.strictSame(leased, [
      { workspace: 'a', leased: '20' },
      { workspace: 'b', leased: '0' },
    ]);
    t.strictSame(await sql(database, 'SELECT node FROM credit_leases'), [{ node: other }]);
    t.strictSame(await sql(database, 'SELECT node FROM batch_chunks ORDER BY chunk'), [
      { node: null },
      { node: other },
    ]);
    t.strictSame(await sql(database, 'SELECT * FROM duties'), []);
    t.equal(lost, 0);
    dead.clock.advance(HEARTBEAT_MS);
    await until(() => lost === 1 && dead.session.isServing);
    t.not(dead.session.id, id);
  },
);

test('after each session that fails soon, the node waits twice as long', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const { session, clock, errors } = newSession(t, database);
  await session.start();
  const fails = () => session.fail(session.id as number, new Error('refused'));
  clock.advance(REJOIN_MS_MAX);
  fails();
  await until(() => session.id !== null);
  for (const pause of [1_000, 2_000, 4_000, REJOIN_MS_MAX, REJOIN_MS_MAX]) {
    fails();
    for (let waited = HEARTBEAT_MS; waited < pause; waited += HEARTBEAT_MS) {
      clock.advance(HEARTBEAT_MS);
      await new Promise(setImmediate);
      t.equal(session.id, null, `${waited} of ${pause} ms`);
    }
    clock.advance(HEARTBEAT_MS);
    await until(() => session.id !== null);
  }
  clock.advance(REJOIN_MS_MAX);
  fails();
  await until(() => session.id !== null);
  t.equal(session.failures, 7);
  t.equal(errors.length, 7);
});

test('after an outage of the database, the nodes have 5 s to return', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const [one, two] = [newSession(t, database), newSession(t, database, 'two')];
  await one.session.start();
  await two.session.start();
  one.clock.pass(SERVING_MS);
  await sql(database, 'UPDATE nodes SET expires = 0');
  const seen = async () =>
    (await sql<{ seen: number }>(database, `SELECT seen FROM nodes WHERE name = 'one'`))[0]?.seen ?? 0;
  for (let second = 0; second < GRACE_MS / HEARTBEAT_MS; second += 1) {
    // Two heartbeats may come in one millisecond.
    await sql(database, 'UPDATE nodes SET seen = 0');
    one.clock.advance(HEARTBEAT_MS);
    await until(async () => (await seen()) > 0 && one.session.isServing);
  }
  t.equal(database.statements.get('reaper-lock-expired'), undefined);
  one.clock.advance(HEARTBEAT_MS);
  await until(async () => (await sql(database, 'SELECT * FROM nodes')).length === 1);
});

test('a node that starts as the database returns gives the others 5 s too', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const [old, started] = [newSession(t, database), newSession(t, database, 'two')];
  await old.session.start();
  await sql(database, 'UPDATE nodes SET expires = 0');
  await started.session.start();
  const expired = async () => (await sql(database, 'SELECT * FROM nodes WHERE expires = 0')).length;
  const beats = () => database.statements.get('session-heartbeat') ?? 0;
  const beat = async () => {
    const before = beats();
    started.clock.advance(HEARTBEAT_MS);
    await until(() => beats() > before);
  };
  for (let second = 1; second < GRACE_MS / HEARTBEAT_MS; second += 1) await beat();
  t.equal(database.statements.get('reaper-lock-expired'), undefined);
  t.equal(await expired(), 1);
  await until(async () => {
    await beat();
    return (await expired()) === 0;
  });
});

test('a session does not end during a transaction that it has begun', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const [one, two] = [newSession(t, database), newSession(t, database, 'two')];
  await one.session.start();
  await two.session.start();
  const id = one.session.id as number;
  await database.transaction(async (transaction) => {
    await fence(transaction, id);
    await sql(database, `UPDATE nodes SET expires = 0 WHERE id = ${id}`);
    const before = database.statements.get('reaper-lock-expired') ?? 0;
    two.clock.advance(HEARTBEAT_MS);
    await until(() => (database.statements.get('reaper-lock-expired') ?? 0) > before);
  });
  two.clock.advance(HEARTBEAT_MS);
  await until(async () => {
    two.clock.advance(HEARTBEAT_MS);
    return (await sql(database, 'SELECT * FROM nodes')).length === 1;
  });
  const fenced = database.transaction((transaction) => fence(transaction, id));
  await t.rejects(fenced, new SessionLost(id));
});

test('the state of a session', async (t) => {
  t.equal(nextState('joining', 'registered'), 'joined');
  t.equal(nextState('joined', 'lost'), 'joining');
  t.equal(nextState('joining', 'lost'), 'joining');
  t.equal(nextState('joined', 'left'), 'ended');
  t.equal(nextState('ended', 'registered'), 'ended');
  t.throws(() => nextState('joined', 'registered'), /impossible/);
});

test('the clock of the cluster follows the database and does not jump within the duration of a heartbeat', async (t) => {
  const system = fakeClock(1_000_000);
  const clock = new DatabaseClock(system);
  t.equal(clock.now(), 1_000_000, 'the clock of the host, before the first heartbeat');
  system.pass(100);
  clock.observe(5_000, 80, 100);
  t.equal(clock.now(), 5_010, 'read in the middle of the heartbeat');
  system.pass(1_000);
  t.equal(clock.now(), 6_010);
  clock.observe(6_000, 1_080, 1_100);
  t.equal(clock.now(), 6_010, 'the heartbeat agrees');
  clock.observe(6_050, 1_090, 1_100);
  t.equal(clock.now(), 6_050, 'the database is ahead by at least this much');
  t.equal(clock.monotonic(), 1_100);
  t.equal(clock.certainFor(), Number.POSITIVE_INFINITY);
});
