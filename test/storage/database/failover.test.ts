// What a node does after a failover to a standby that lacks the last commits.
import { type Test, test } from 'tap';
import { authenticate } from '../../../src/access/authenticate.js';
import { CHANGES } from '../../../src/access/index.js';
import type { ApiError } from '../../../src/api/index.js';
import { DatabaseDirectory, POLL_MS } from '../../../src/storage/database/directory/directory.js';
import { type Database, DatabaseAdministration, statement } from '../../../src/storage/database/index.js';
import { Session } from '../../../src/storage/database/session/session.js';
import { fakeClock } from '../../support/fake-clock.js';
import { connectTo, NEEDS_POSTGRES } from '../../support/postgres.js';
import { Replicated } from '../../support/replicated.js';
import { until } from '../../support/until.js';

/** Longer than a failover takes, which ends it. */
const AWAY_MS = 60_000;

const readGrants = (database: Database) => database.query(statement('grants', 'SELECT amount FROM grants'));

/** A directory whose clock stands still, and what it answers for a token: the id of the key, or the type of the error. */
async function openDirectory(t: Test, database: Database) {
  const clock = fakeClock(Date.now());
  const lost: unknown[] = [];
  const parts = { database, clock, onError() {}, onLost: (changes: unknown) => lost.push(changes) };
  const directory = new DatabaseDirectory(parts);
  t.teardown(() => directory.stop());
  await directory.start();
  const answer = (token: string) => {
    try {
      return authenticate([`Bearer ${token}`], directory, clock.now()).key.id;
    } catch (error) {
      return (error as ApiError).type;
    }
  };
  return { clock, lost, directory, answer };
}

test('a failover that loses changes and takes less than 5 s is noticed', NEEDS_POSTGRES, async (t) => {
  const server = await Replicated.start(t);
  const database = connectTo(t, await server.createDatabase());
  const office = new DatabaseAdministration(database, 'cli:ann');
  await office.change(CHANGES.createWorkspace('a'));
  const [first, second] = [
    await office.change(CHANGES.createKey('a')),
    await office.change(CHANGES.createKey('a')),
  ];
  const { clock, lost, directory, answer } = await openDirectory(t, database);
  await server.caughtUp();
  server.holdStream();
  await office.change(CHANGES.revokeKey(first.key.id));
  await directory.update();
  t.strictSame(
    [first, second].map(({ token }) => answer(token)),
    ['unauthorized', second.key.id],
  );
  await server.failOver();
  // Gets the number of the change that was lost.
  await until(() =>
    office.change(CHANGES.revokeKey(second.key.id)).then(
      () => true,
      () => false,
    ),
  );
  await until(() => {
    clock.advance(POLL_MS);
    return answer(second.token) === 'unauthorized';
  });
  t.equal(answer(first.token), first.key.id, 'as in the database');
  t.strictSame(lost, [{ unrevoked: [first.key.id], missing: [] }]);
});

test('a copy is not confirmed by a standby', NEEDS_POSTGRES, async (t) => {
  const server = await Replicated.start(t);
  const database = connectTo(t, await server.createDatabase());
  const { directory } = await openDirectory(t, database);
  await server.caughtUp();
  server.proxy.retarget(server.standby.port);
  server.proxy.cut();
  await until(() =>
    directory.update().then(
      () => false,
      ({ code }) => code === '25006',
    ),
  );
  server.proxy.retarget(server.primary.port);
  server.proxy.cut();
  await until(() =>
    directory.update().then(
      () => true,
      () => false,
    ),
  );
});

test(
  'a session that a failover has lost is not continued as that of another node',
  NEEDS_POSTGRES,
  async (t) => {
    const server = await Replicated.start(t);
    const database = connectTo(t, await server.createDatabase());
    const start = async (name: string) => {
      const clock = fakeClock(Date.now());
      const session = new Session({ database, clock, node: { name, version: '1.0.0' }, onError() {} });
      await until(() =>
        session.start().then(
          () => true,
          () => false,
        ),
      );
      t.teardown(() => session.stop().catch(() => {}));
      return { clock, session };
    };
    await server.caughtUp();
    server.holdStream();
    const one = await start('one');
    const { id } = one.session;
    await server.failOver();
    const other = await start('other');
    t.not(other.session.id, id);
    await until(() => {
      one.clock.advance(1_000);
      return one.session.id !== null && one.session.id !== id;
    });
    t.not(one.session.id, other.session.id);
  },
);

for (const isKept of [true, false]) {
  test(
    `a COMMIT whose answer is lost in a failover that ${isKept ? 'keeps' : 'loses'} it is answered as the database has it`,
    NEEDS_POSTGRES,
    async (t) => {
      const server = await Replicated.start(t);
      const url = await server.createDatabase();
      const office = new DatabaseAdministration(connectTo(t, url), 'cli:ann');
      await office.change(CHANGES.createWorkspace('a'));
      await server.caughtUp();
      if (!isKept) server.holdStream();
      const port = `:${server.proxy.port}/`;
      const direct = connectTo(t, url.replace(port, `:${server.primary.port}/`));
      server.proxy.loseCommit('not answered', { awayMs: AWAY_MS });
      const granted = office.change(CHANGES.grantCredit('a', 7n)).then(
        (workspace) => workspace.granted,
        (error) => `${error.name}: ${error.message}`,
      );
      await until(async () => (await readGrants(direct)).length === 1);
      if (isKept) await server.caughtUp();
      await server.failOver();
      if (isKept) t.equal(await granted, 7n);
      else t.match(await granted, /^DatabaseUnavailable: .* Nothing was changed\.$/);
      t.equal((await readGrants(connectTo(t, url))).length, isKept ? 1 : 0);
    },
  );
}
