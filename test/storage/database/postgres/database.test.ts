import { test } from 'tap';
import { type StatementError, statement } from '../../../../src/storage/database/index.js';
import { WAITING_MAX } from '../../../../src/storage/database/postgres/database.js';
import { connectTo, NEEDS_POSTGRES, newDatabase } from '../../../support/postgres.js';
import { until } from '../../../support/until.js';

test('values are read exactly', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const [row] = await database.query(
    statement(
      'values',
      `SELECT $1::bigint AS int8, $2::numeric(38) AS money, $3::bytea AS bytes, $4::text[] AS texts,
        ARRAY[1, NULL]::bigint[] AS ints, ARRAY[1e37::numeric(38)] AS moneys, '{"a":1}'::jsonb AS json, NULL::bigint AS none`,
    ),
    [2 ** 53 - 1, 12345678901234567890123456789012345678n, Buffer.from([0, 255]), ['a,b', '"']],
  );
  t.strictSame(row, {
    int8: 2 ** 53 - 1,
    money: '12345678901234567890123456789012345678',
    bytes: Buffer.from([0, 255]),
    texts: ['a,b', '"'],
    ints: [1, null],
    moneys: [`1${'0'.repeat(37)}`],
    json: { a: 1 },
    none: null,
  });
  await t.rejects(database.query(statement('large', `SELECT ${2n ** 53n}::bigint AS large`)), {
    code: '22003',
  });
});

const COUNT = statement('count', 'SELECT count(*) AS found FROM duties');
const ADD = statement('add', 'INSERT INTO duties VALUES ($1, 1)');

test('a transaction is written in full or not at all', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const found = async () => (await database.query<{ found: number }>(COUNT))[0]?.found;
  t.equal(
    await database.transaction(async (transaction) => {
      t.equal(await transaction.execute(ADD, ['a']), 1);
      t.strictSame(await transaction.query(COUNT), [{ found: 1 }]);
      t.equal(await found(), 0, 'others do not see it yet');
      return 'result';
    }),
    'result',
  );
  t.equal(await found(), 1);
  const mistake = new Error('of the caller');
  await t.rejects(
    database.transaction(async (transaction) => {
      await transaction.execute(ADD, ['b']);
      throw mistake;
    }),
    mistake,
  );
  t.equal(await found(), 1);
  await t.rejects(
    database.transaction(async (transaction) => {
      await transaction.execute(ADD, ['c']);
      await transaction.execute(ADD, ['a']).catch(() => {});
    }),
    /was rolled back/,
    'an error that the caller ignored',
  );
  t.equal(await found(), 1);
  const counts = Object.fromEntries(database.statements);
  t.strictSame(counts, { begin: 3, add: 4, count: 5, commit: 2, rollback: 1 });
});

test('the error of a statement has its name and no values', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  await database.execute(ADD, ['secret']);
  const wrong = statement('wrong', 'INSERT INTO duties VALUES ($1, $2)');
  const attempts = [
    ['23505', () => database.execute(ADD, ['secret']), 'duties_pkey'],
    ['22P02', () => database.execute(wrong, ['x', 'secret'])],
    ['42601', () => database.query(statement('nowhere', 'SELECT nowhere nowhere nowhere'))],
  ] as const;
  for (const [code, attempt, constraint] of attempts) {
    const error = (await attempt().catch((each) => each)) as StatementError;
    t.match(error, { name: 'StatementError', code });
    t.match(error.message, new RegExp(`^The database refused the statement \\w+ \\(SQLSTATE ${code}`));
    t.notMatch(`${error.stack}${JSON.stringify(error)}`, /secret/);
    t.equal(error.constraint, constraint);
    t.equal(error.cause, undefined);
    if (code === '42601') t.match(error.message, /syntax error at or near "nowhere"/);
  }
});

test('at most store.connections connections, named after the program', NEEDS_POSTGRES, async (t) => {
  const { url } = await newDatabase(t);
  const database = connectTo(t, url, { connections: 2 });
  const used = statement(
    'used',
    `SELECT application_name AS name, pg_sleep(0.01)::text AS slept, pg_backend_pid() AS pid FROM pg_stat_activity
      WHERE pid = pg_backend_pid()`,
  );
  const found = await Promise.all(
    Array.from({ length: 6 }, () => database.query<{ name: string; pid: number }>(used)),
  );
  t.equal(new Set(found.map(([row]) => row?.pid)).size, 2);
  t.equal(found[0]?.[0]?.name, 'decider');
  t.strictSame(database.connections, { open: 2, used: 0 });
});

test('a bounded number of calls waits for a connection', NEEDS_POSTGRES, async (t) => {
  const { url } = await newDatabase(t);
  const database = connectTo(t, url, { connections: 1 });
  let release: (() => void) | null = null;
  const held = database.transaction(
    () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  );
  await until(() => release !== null);
  const waiting = Array.from({ length: WAITING_MAX }, () => database.query(COUNT));
  const all = Promise.allSettled(waiting);
  await t.rejects(database.query(COUNT), { name: 'DatabaseUnavailable', code: 'waiting' });
  (release as unknown as () => void)();
  await held;
  t.equal((await waiting[0])?.length, 1);
  // On a busy machine, the last ones may have waited for too long.
  await all;
  t.equal((await database.query(COUNT)).length, 1, 'there is room again');
});

test('a statement is cancelled at the end of its time', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const sleep = statement('sleep', 'SELECT pg_sleep($1)::text');
  const within = (statementMs: number, seconds: number) =>
    database.transaction((transaction) => transaction.query(sleep, [seconds]), { statementMs });
  // On a busy machine, the client may end its wait before the database's answer arrives.
  const codes: unknown[] = [];
  await until(async () => {
    codes.push(await within(20, 60).catch(({ code }) => code));
    return codes.at(-1) !== 'timeout';
  });
  t.equal(codes.at(-1), '57014');
  t.equal((await within(60_000, 0)).length, 1);
  t.strictSame(
    await database.query(statement('limit', 'SHOW statement_timeout')),
    [{ statement_timeout: '10s' }],
    'the limit is of one transaction',
  );
});

test('after close, calls fail', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const last = database.query(COUNT);
  await Promise.all([database.close(), last]);
  await database.close();
  await t.rejects(database.query(COUNT), { name: 'DatabaseUnavailable', code: 'closed' });
});
