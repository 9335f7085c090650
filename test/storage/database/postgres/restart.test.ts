import { test } from 'tap';
import { CommitUnknown, DatabaseUnavailable, statement } from '../../../../src/storage/database/index.js';
import { listen } from '../../../../src/storage/database/postgres/listen.js';
import {
  connectTo,
  NEEDS_POSTGRES,
  newDatabase,
  PostgresServer,
  postgres,
} from '../../../support/postgres.js';
import { TcpProxy } from '../../../support/tcp-proxy.js';
import { until } from '../../../support/until.js';

const ONE = statement('one', 'SELECT 1 AS one');
const ADD = statement('add', 'INSERT INTO duties VALUES ($1, 1)');
const READ = statement('read', 'SELECT duty FROM duties ORDER BY duty');

test('a restart of the database: statements fail meanwhile, and succeed again', NEEDS_POSTGRES, async (t) => {
  const server = await PostgresServer.create();
  t.teardown(() => server.remove());
  const database = connectTo(t, await server.createDatabase());
  const written: string[] = [];
  let unknown = 0;
  for (const how of ['fast', 'immediate', 'kill'] as const) {
    let running = true;
    let failures = 0;
    const writer = async (name: string) => {
      for (let at = 0; running; at += 1) {
        const duty = `${how}-${name}-${at}`;
        try {
          await database.transaction((transaction) => transaction.execute(ADD, [duty]));
          written.push(duty);
        } catch (error) {
          // Anything else is a defect.
          if (!(error instanceof DatabaseUnavailable)) throw error;
          failures += 1;
          if (error instanceof CommitUnknown) unknown += 1;
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }
    };
    const writers = Promise.all(['a', 'b', 'c'].map(writer));
    const before = written.length;
    await until(() => written.length > before + 10);
    await server.stop(how);
    await until(() => failures > 5);
    await server.start();
    const after = written.length;
    await until(() => written.length > after + 10);
    running = false;
    await writers;
  }
  const found = new Set((await database.query<{ duty: string }>(READ)).map(({ duty }) => duty));
  t.ok(
    written.every((duty) => found.has(duty)),
    'what was committed is there',
  );
  t.ok(found.size - written.length <= unknown, 'what failed is not, except where that is unknown');
});

test('a connection lost at COMMIT: whether it was written is unknown', NEEDS_POSTGRES, async (t) => {
  const { url } = await newDatabase(t);
  const proxy = await TcpProxy.start(t, (await postgres()).port);
  const database = connectTo(t, url.replace(/:\d+\//, `:${proxy.port}/`));
  const lost = database.transaction(async (transaction) => {
    await transaction.execute(ADD, ['a']);
    proxy.delay(30);
    void until(() => database.statements.has('commit')).then(() => proxy.cut());
  });
  await t.rejects(lost, { name: 'CommitUnknown', message: /may have been made or not\.$/ });
  proxy.delay(0);
  const before = database.transaction(async (transaction) => {
    proxy.cut();
    await transaction.execute(ADD, ['b']);
  });
  await t.rejects(before, { name: 'DatabaseUnavailable' }, 'before COMMIT it was certainly not');
  await until(() =>
    database.query(READ).then(
      (rows) => {
        t.notOk(JSON.stringify(rows).includes('"b"'));
        return true;
      },
      () => false,
    ),
  );
});

test(
  'the loss of idle connections and of one in use between statements is survived',
  NEEDS_POSTGRES,
  async (t) => {
    const { url } = await newDatabase(t);
    const proxy = await TcpProxy.start(t, (await postgres()).port);
    const database = connectTo(t, url.replace(/:\d+\//, `:${proxy.port}/`));
    await Promise.all([1, 2, 3].map(() => database.query(ONE)));
    proxy.cut();
    await until(() => database.connections.open === 0);
    t.equal((await database.query(ONE)).length, 1);
    await t.rejects(
      database.transaction(async (transaction) => {
        proxy.cut();
        // The connection reports its end while no statement waits for it.
        await new Promise((resolve) => setTimeout(resolve, 20));
        await transaction.query(ONE);
      }),
      { name: 'DatabaseUnavailable' },
    );
  },
);

test('listen receives notifications, and again after a lost connection', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const proxy = await TcpProxy.start(t, (await postgres()).port);
  const through = connectTo(t, url.replace(/:\d+\//, `:${proxy.port}/`));
  const received: string[] = [];
  const stop = listen(through, ['changes', 'credit'], (channel, payload) => {
    received.push(`${channel} ${payload}`);
  });
  t.teardown(stop);
  await until(() => received.length === 2);
  t.strictSame(received, ['changes ', 'credit '], 'called once per channel after connecting');
  const notify = (channel: string, payload: string) =>
    database.query(statement('notify', 'SELECT pg_notify($1, $2)::text'), [channel, payload]);
  await notify('other', 'x');
  await notify('changes', '1');
  await until(() => received.length === 3);
  t.equal(received[2], 'changes 1');
  proxy.cut(true);
  await notify('credit', 'missed');
  proxy.cut(false);
  await until(() => received.length === 5);
  t.strictSame(received.slice(3), ['changes ', 'credit ']);
  await notify('credit', '2');
  await until(() => received.length === 6);
  t.equal(received[5], 'credit 2');
  await stop();
  const listening = statement(
    'listening',
    `SELECT count(*) AS found FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`,
  );
  await until(async () => (await database.query<{ found: number }>(listening))[0]?.found === 0);
});
