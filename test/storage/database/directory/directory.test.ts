import { type Test, test } from 'tap';
import { authenticate } from '../../../../src/access/authenticate.js';
import type { Key } from '../../../../src/access/index.js';
import { CHANGES } from '../../../../src/access/index.js';
import type { ApiError } from '../../../../src/api/index.js';
// The named bounds are of the room alone.
import {
  DatabaseDirectory,
  POLL_MS,
  TRUSTED_MS,
} from '../../../../src/storage/database/directory/directory.js';
import { MARKS_KEPT, writeMark } from '../../../../src/storage/database/directory/history.js';
import { PAGE_ROWS } from '../../../../src/storage/database/directory/read-changes.js';
import { type Database, DatabaseAdministration, statement } from '../../../../src/storage/database/index.js';
import { fakeClock } from '../../../support/fake-clock.js';
import { connectTo, NEEDS_POSTGRES, newDatabase, PostgresServer } from '../../../support/postgres.js';
import { until } from '../../../support/until.js';

const STALE = { name: 'ApiError', type: 'overloaded', headers: { retryAfterSeconds: 1 } };

/** A directory of a database with a workspace and a key, where time stands still. */
async function opened(t: Test, url: string, database: Database) {
  const office = new DatabaseAdministration(database, 'cli:ann');
  await office.change(CHANGES.createWorkspace('a'));
  const { key, token } = await office.change(CHANGES.createKey('a'));
  const clock = fakeClock(Date.now());
  const errors: unknown[] = [];
  const lost: unknown[] = [];
  const own = connectTo(t, url, { connections: 2 });
  const directory = new DatabaseDirectory({
    database: own,
    clock,
    onError: (error) => errors.push(error),
    onLost: (changes) => lost.push(changes),
  });
  t.teardown(() => directory.stop());
  await directory.start();
  // The listening connection polls once, when it has been made.
  await until(() => (own.statements.get('directory-changes') ?? 0) >= 2);
  await directory.update();
  /** What a request with the token of the key gets: its workspace, or the type of the error. */
  const answer = () => {
    try {
      return authenticate([`Bearer ${token}`], directory, clock.now()).workspace.id;
    } catch (error) {
      return (error as ApiError).type;
    }
  };
  return { office, key, answer, clock, errors, lost, directory };
}

/** Writes a change as an administrator does, without a notification. */
async function silently(database: Database, text: string): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.execute(statement('', 'UPDATE service SET changes = changes + 1'));
    await transaction.execute(
      statement('', 'INSERT INTO change_marks SELECT changes, gen_random_uuid() FROM service'),
    );
    await transaction.execute(statement('', text));
  });
}

/** Undoes the last change with a statement, as a failover does that loses it. */
async function forgetChange(database: Database, text: string): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.execute(statement('', text));
    await transaction.execute(
      statement('', 'DELETE FROM change_marks WHERE number = (SELECT changes FROM service)'),
    );
    await transaction.execute(statement('', 'UPDATE service SET changes = changes - 1'));
  });
}

const revoke = ({ id }: Key) =>
  `UPDATE keys SET revoked = 1, changed = (SELECT changes FROM service) WHERE id = '${id}'`;

test(
  'the copy has what was there at the start, and what a notification tells of',
  NEEDS_POSTGRES,
  async (t) => {
    const { url, database } = await newDatabase(t);
    const { office, key, directory } = await opened(t, url, database);
    directory.refresh();
    t.strictSame(directory.key(key.id), key);
    t.strictSame(directory.keyOfDigest(key.digest), key);
    t.strictSame(directory.workspace('a'), await office.getWorkspace('a'));
    for (const found of [directory.key('b'), directory.keyOfDigest('b'), directory.workspace('b')])
      t.equal(found, undefined);
    let changes = 0;
    directory.onChange(() => {
      changes += 1;
    });
    // Time stands still, so nothing is polled.
    const revoked = await office.change(CHANGES.revokeKey(key.id));
    await until(() => directory.key(key.id)?.revoked !== null);
    t.strictSame(directory.keyOfDigest(key.digest), revoked);
    const after = await office.change(CHANGES.grantCredit('a', 5n));
    await until(() => directory.workspace('a')?.granted === 5n);
    t.strictSame(directory.workspace('a'), after);
    const { key: added } = await office.change(CHANGES.createKey('a', 'never'));
    await until(() => directory.key(added.id) !== undefined);
    t.ok(changes >= 3);
  },
);

test('without notifications, a revoked key stops working after the next poll', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const { key, answer, clock } = await opened(t, url, database);
  t.ok(POLL_MS < 1_000);
  t.equal(answer(), 'a');
  await silently(database, revoke(key));
  clock.advance(POLL_MS - 1);
  t.equal(answer(), 'a');
  clock.advance(1);
  // A tick does nothing while the poll of the listening connection, which may have begun before the change, still runs.
  await until(() => {
    if (answer() === 'unauthorized') return true;
    clock.advance(POLL_MS);
    return false;
  });
});

test('a listening connection that is lost changes nothing but the delay', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const { office, key, clock, directory } = await opened(t, url, database);
  const listening = statement(
    'listening',
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'`,
  );
  await until(async () => (await database.query(listening)).length === 1);
  await database.execute(
    statement(
      'cut',
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE 'LISTEN %'`,
    ),
  );
  await until(async () => (await database.query(listening)).length === 0);
  // Time stands still, so it does not connect again.
  await office.change(CHANGES.revokeKey(key.id));
  await directory.update();
  t.not(directory.key(key.id)?.revoked, null);
  await until(async () => {
    clock.advance(POLL_MS);
    return (await database.query(listening)).length === 1;
  });
  await office.change(CHANGES.grantCredit('a', 5n));
  await until(() => directory.workspace('a')?.granted === 5n);
});

test('a copy that cannot be confirmed is not used until the database is back', NEEDS_POSTGRES, async (t) => {
  const server = await PostgresServer.create();
  t.teardown(() => server.remove());
  const url = await server.createDatabase();
  const { key, answer, clock, errors, directory } = await opened(t, url, connectTo(t, url));
  await server.stop('immediate');
  clock.advance(POLL_MS);
  await until(() => errors.length === 1);
  clock.advance(TRUSTED_MS - POLL_MS);
  t.equal(answer(), 'a', 'still trusted');
  clock.pass(1);
  t.equal(answer(), 'overloaded');
  t.throws(() => directory.refresh(), STALE);
  await t.rejects(directory.update(), { name: 'DatabaseUnavailable' });
  t.equal(errors.length, 1, 'reported once');
  await server.start();
  await silently(connectTo(t, url), revoke(key));
  await until(() => {
    clock.advance(POLL_MS);
    return answer() !== 'overloaded';
  });
  t.equal(answer(), 'unauthorized');
});

test('the copy of a machine that was suspended is not used', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const { clock, directory } = await opened(t, url, database);
  directory.refresh();
  clock.set(clock.now() + TRUSTED_MS + 1);
  t.throws(() => directory.refresh(), STALE);
  await directory.update();
  directory.refresh();
});

test('a database that was restored from a backup is copied anew', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const { office, key, directory } = await opened(t, url, database);
  const { key: later } = await office.change(CHANGES.createKey('a'));
  await directory.update();
  t.ok(directory.key(later.id));
  await forgetChange(database, `DELETE FROM keys WHERE id = '${later.id}'`);
  await directory.update();
  t.equal(directory.key(later.id), undefined);
  t.equal(directory.keyOfDigest(later.digest), undefined);
  t.ok(directory.key(key.id));
});

test('a change with the number of a lost one is noticed by the next poll', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const { office, key, answer, clock, lost, directory } = await opened(t, url, database);
  const { key: created } = await office.change(CHANGES.createKey('a'));
  await directory.update();
  let changes = 0;
  directory.onChange(() => {
    changes += 1;
  });
  // Both transactions are between two polls: the copy was never unconfirmed, and the number is the same.
  await forgetChange(database, `DELETE FROM keys WHERE id = '${created.id}'`);
  await silently(database, revoke(key));
  // An update that is in progress takes the place of one poll.
  await until(() => {
    clock.advance(POLL_MS);
    return answer() === 'unauthorized';
  });
  t.equal(directory.key(created.id), undefined);
  // Twice if a poll that the created key had caused came between the two transactions.
  t.ok(changes === 1 || changes === 2, `${changes} changes`);
  t.strictSame(lost, [{ unrevoked: [], missing: [created.id] }]);
});

test('changes after a lost one are noticed too', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const { office, key, answer, clock, lost, directory } = await opened(t, url, database);
  const { key: other } = await office.change(CHANGES.createKey('a'));
  await office.change(CHANGES.revokeKey(other.id));
  await directory.update();
  await forgetChange(
    database,
    `UPDATE keys SET revoked = NULL, changed = changed - 1 WHERE id = '${other.id}'`,
  );
  await silently(database, revoke(key));
  for (let change = 0; change < 3; change += 1) await office.change(CHANGES.grantCredit('a', 1n));
  await until(() => {
    clock.advance(POLL_MS);
    return answer() === 'unauthorized';
  });
  t.equal(directory.key(other.id)?.revoked, null);
  t.strictSame(lost, [{ unrevoked: [other.id], missing: [] }]);
});

test('a copy whose mark was forgotten is read anew', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const { key, answer, clock } = await opened(t, url, database);
  const { number } = (
    await database.query<{ number: number }>(statement('', 'SELECT changes AS number FROM service'))
  )[0] as { number: number };
  const after = number + MARKS_KEPT;
  await database.execute(statement('', `UPDATE service SET changes = ${after}`));
  await writeMark(database, after);
  const kept = statement('', 'SELECT number FROM change_marks ORDER BY number');
  t.strictSame(await database.query(kept), [{ number: after }]);
  await silently(database, revoke(key));
  // An update that is in progress takes the place of one poll.
  await until(() => {
    clock.advance(POLL_MS);
    return answer() === 'unauthorized';
  });
});

test('a change of more rows than a page is copied whole', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const { directory } = await opened(t, url, database);
  const count = 2 * PAGE_ROWS + 1;
  await silently(
    database,
    `INSERT INTO keys (id, workspace, digest, created, changed)
     SELECT 'key_' || n, 'a', 'digest_' || n, 0, changes FROM generate_series(1, ${count}) AS n, service`,
  );
  await directory.update();
  const missing = Array.from({ length: count }, (_, at) => at + 1).filter(
    (n) => directory.key(`key_${n}`) === undefined || directory.keyOfDigest(`digest_${n}`) === undefined,
  );
  t.strictSame(missing, []);
});
