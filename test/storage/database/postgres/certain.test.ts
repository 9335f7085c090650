import { type Test, test } from 'tap';
import { CommitUnknown, type Database, statement } from '../../../../src/storage/database/index.js';
import { certainTransaction, OUTCOME_MS_MAX } from '../../../../src/storage/database/postgres/certain.js';
import type { Transaction } from '../../../../src/storage/database/postgres/database.js';
import { connectTo, NEEDS_POSTGRES, newDatabase, postgres } from '../../../support/postgres.js';
import { TcpProxy } from '../../../support/tcp-proxy.js';

const MAKE = statement('make', 'CREATE TABLE notes (id text PRIMARY KEY, note text NOT NULL)');
const START = statement('start', `INSERT INTO notes VALUES ('a', '0')`);
const PUT = statement('put', `UPDATE notes SET note = $1 WHERE id = 'a'`);
const LOCK = statement('lock', `SELECT note FROM notes WHERE id = 'a' FOR UPDATE`);
const READ = statement('read', `SELECT note FROM notes WHERE id = 'a'`);
const WRONG = statement('wrong', 'SELECT 1 / 0');

interface Note {
  readonly note: string;
}

/** A table with one row, and a database behind a proxy that loses COMMITs. */
async function oneRow(t: Test) {
  const { url, database } = await newDatabase(t);
  await database.execute(MAKE);
  await database.execute(START);
  const proxy = await TcpProxy.start(t, (await postgres()).port);
  const behind = connectTo(t, url.replace(/:\d+\//, `:${proxy.port}/`));
  const stored = async () => (await database.query<Note>(READ))[0]?.note;
  return { proxy, behind, stored };
}

const write = (note: string) => async (transaction: Transaction) => {
  await transaction.execute(PUT, [note]);
  return note;
};

const lookUp = async (transaction: Transaction, note: string) => {
  const [row] = await transaction.query<Note>(LOCK);
  return row?.note === note ? note : null;
};

/** Waits that take no time. `onWait` gets the time in milliseconds, from 0. */
function counted(onWait: (now: number) => void = () => {}) {
  let now = 0;
  return {
    monotonic: () => now,
    wait: async (ms: number) => {
      now += ms;
      onWait(now);
    },
  };
}

test('what became of a lost COMMIT is looked up', NEEDS_POSTGRES, async (t) => {
  const { proxy, behind, stored } = await oneRow(t);
  for (const [note, how, expected] of [
    ['1', 'not answered', '1'],
    ['2', 'not sent', '1'],
    ['3', 'late', '3'],
  ] as const) {
    proxy.loseCommit(how);
    const settled = certainTransaction(behind, write(note), lookUp);
    if (expected === note) t.equal(await settled, note, how);
    else await t.rejects(settled, { name: 'DatabaseUnavailable', message: /\. Nothing was changed\.$/ }, how);
    t.equal(await stored(), expected, how);
  }
});

test('a COMMIT of a look-up may be lost too', NEEDS_POSTGRES, async (t) => {
  const { proxy, behind, stored } = await oneRow(t);
  proxy.loseCommit('not answered');
  let lookUps = 0;
  const twice = (transaction: Transaction, note: string) => {
    lookUps += 1;
    if (lookUps === 1) proxy.loseCommit('not sent');
    return lookUp(transaction, note);
  };
  t.equal(await certainTransaction(behind, write('1'), twice), '1');
  t.equal(lookUps, 2);
  t.equal(await stored(), '1');
});

test(`look-ups begin for ${OUTCOME_MS_MAX} ms`, NEEDS_POSTGRES, async (t) => {
  // The database is back at the limit, or not yet.
  for (const isInTime of [true, false]) {
    const { proxy, behind } = await oneRow(t);
    const begun: number[] = [];
    proxy.loseCommit('not answered', { awayMs: 60_000 });
    const waits = counted((now) => {
      begun.push(now);
      if (isInTime && now === OUTCOME_MS_MAX) proxy.cut(false);
    });
    const settled = certainTransaction(behind, write(`${isInTime}`), lookUp, {}, waits);
    if (isInTime) t.equal(await settled, 'true');
    else await t.rejects(settled, CommitUnknown);
    t.equal(begun.at(-1), OUTCOME_MS_MAX);
  }
});

test('a look-up that is refused tells nothing', NEEDS_POSTGRES, async (t) => {
  const { proxy, behind } = await oneRow(t);
  proxy.loseCommit('not answered');
  const refused = async (transaction: Transaction) => {
    await transaction.query(WRONG);
    return null;
  };
  await t.rejects(certainTransaction(behind, write('1'), refused, {}, counted()), {
    name: 'CommitUnknown',
    message: /The change may have been made or not\.$/,
  });
  proxy.loseCommit('not answered');
  const throws = async () => {
    throw new RangeError('no');
  };
  await t.rejects(certainTransaction(behind, write('2'), throws, {}, counted()), RangeError);
});

test('the result of a transaction that only reads holds without its COMMIT', NEEDS_POSTGRES, async (t) => {
  const { proxy, behind } = await oneRow(t);
  proxy.loseCommit('not sent');
  const read = (database: Database) => database.read((transaction) => transaction.query<Note>(READ));
  t.strictSame(await read(behind), [{ note: '0' }]);
  t.notOk(proxy.mayLoseCommit);
  const failed = behind.read(async () => {
    throw new RangeError('no');
  });
  await t.rejects(failed, RangeError);
});
