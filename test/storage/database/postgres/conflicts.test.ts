import { test } from 'tap';
import { type Database, statement } from '../../../../src/storage/database/index.js';
import { ATTEMPTS_MAX, type Transaction } from '../../../../src/storage/database/postgres/database.js';
import { NEEDS_POSTGRES, newDatabase } from '../../../support/postgres.js';

const ADD = statement('add', `INSERT INTO duties VALUES ('a', 0), ('b', 0)`);
const RAISE = statement('raise', 'UPDATE duties SET node = node + 1 WHERE duty = $1');
const READ = statement('read', 'SELECT node FROM duties ORDER BY duty');
const SNAPSHOT = statement('snapshot', 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');

const values = async (database: Database) =>
  (await database.query<{ node: number }>(READ)).map(({ node }) => node);

test('a transaction that conflicts with another one runs again', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  await database.execute(ADD);
  let runs = 0;
  await database.transaction(async (transaction) => {
    runs += 1;
    await transaction.execute(SNAPSHOT);
    await transaction.query(READ);
    // After the snapshot: PostgreSQL ends the transaction with 40001.
    if (runs === 1) await database.execute(RAISE, ['a']);
    await transaction.execute(RAISE, ['a']);
  });
  t.equal(runs, 2);
  t.strictSame(await values(database), [2, 0]);
  t.match(Object.fromEntries(database.statements), { begin: 2, rollback: 1, commit: 1 });
});

test('it runs a bounded number of times', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  await database.execute(ADD);
  const conflicting = (times: number) => {
    let runs = 0;
    return database.transaction(async (transaction) => {
      runs += 1;
      await transaction.execute(SNAPSHOT);
      await transaction.query(READ);
      if (runs <= times) await database.execute(RAISE, ['b']);
      await transaction.execute(RAISE, ['b']);
      return runs;
    });
  };
  t.equal(await conflicting(ATTEMPTS_MAX - 1), ATTEMPTS_MAX);
  await t.rejects(conflicting(ATTEMPTS_MAX), { name: 'DatabaseUnavailable', code: '40001' });
  t.strictSame(await values(database), [0, 2 * ATTEMPTS_MAX], 'each attempt that failed wrote nothing');
});

test('of two transactions in a deadlock, both succeed', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  await database.execute(ADD);
  let runs = 0;
  let locked = 0;
  let bothLocked = () => {};
  const deadlock = new Promise<void>((resolve) => {
    bothLocked = resolve;
  });
  const work = (first: string, second: string) => async (transaction: Transaction) => {
    runs += 1;
    await transaction.execute(RAISE, [first]);
    locked += 1;
    if (locked === 2) bothLocked();
    await deadlock;
    await transaction.execute(RAISE, [second]);
  };
  await Promise.all([database.transaction(work('a', 'b')), database.transaction(work('b', 'a'))]);
  // More than 3 if the repeated transaction locks its first row before the other one resumes: they deadlock again.
  t.ok(runs >= 3, `${runs} runs`);
  t.strictSame(await values(database), [2, 2]);
});
