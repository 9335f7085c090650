import { createServer } from 'node:net';
import { test } from 'tap';
import { CHANGES } from '../../src/access/index.js';
import { DatabaseAdministration, statement } from '../../src/storage/database/index.js';
import { DATABASE_FORMAT } from '../../src/storage/database/postgres/schema/migrations.js';
import { run as runCommand } from '../support/cli.js';
import { freePort } from '../support/free-port.js';
import { NEEDS_POSTGRES, newDatabase, postgres } from '../support/postgres.js';

const MASTER_KEY = 'a'.repeat(64);
const on = (url: string) => ({ DECIDER_STORE_URL: url, DECIDER_MASTER_KEY: MASTER_KEY });

test('store migrate creates the tables once, and nodes requires them', NEEDS_POSTGRES, async (t) => {
  const url = await (await postgres()).createDatabase(false);
  const run = (...args: string[]) => runCommand(t, args, on(url));
  const early = await run('nodes');
  t.equal(early.code, 1);
  t.equal(early.stderr, 'The database in store.url has no tables. Run: decider store migrate\n');
  t.match(await run('store', 'migrate'), {
    code: 0,
    stdout: `The tables were created, with format ${DATABASE_FORMAT}.`,
  });
  const again = await run('store', 'migrate');
  t.match(again, {
    code: 0,
    stdout: `The tables have format ${DATABASE_FORMAT} already. Nothing was changed.`,
  });
  t.strictSame(JSON.parse((await run('store', 'migrate', '--json')).stdout), {
    from: DATABASE_FORMAT,
    to: DATABASE_FORMAT,
  });
  t.match(await run('nodes'), {
    code: 0,
    stdout: /^ *id +name +version +started +last seen +clock ahead +serves$/,
  });
});

test('nodes lists the sessions with their times and whether they serve', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  await database.execute(
    statement(
      'add-nodes',
      `INSERT INTO nodes (id, name, version, format, started, seen, expires, ahead)
        VALUES (1, 'a', '0.1.0', 1, 0, 1000, 9e15::bigint, 0), (2, 'b', '0.2.0', 1, 1, 2, 3, -2500)`,
    ),
  );
  const run = (...args: string[]) => runCommand(t, args, on(url));
  t.strictSame(JSON.parse((await run('nodes', '--json')).stdout), [
    {
      id: 1,
      name: 'a',
      version: '0.1.0',
      clock_ahead_ms: 0,
      serves: true,
      started: '1970-01-01T00:00:00.000Z',
      seen: '1970-01-01T00:00:01.000Z',
    },
    {
      id: 2,
      name: 'b',
      version: '0.2.0',
      clock_ahead_ms: -2500,
      serves: false,
      started: '1970-01-01T00:00:00.001Z',
      seen: '1970-01-01T00:00:00.002Z',
    },
  ]);
  const [, first, second] = (await run('nodes')).stdout.split('\n');
  t.match(first, /^ 1 {2}a +0\.1\.0 +1970\S+ \S+Z +1970\S+ \S+Z +0\.0 s +yes$/);
  t.match(second, /^ 2 {2}b +0\.2\.0 +1970\S+ \S+Z +1970\S+ \S+Z +-2\.5 s +no$/);
});

test('store migrate refuses another format in one line', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  await database.execute(statement('newer', `UPDATE service SET format = ${DATABASE_FORMAT + 1}`));
  for (const args of [['store', 'migrate'], ['nodes']]) {
    const { code, stderr } = await runCommand(t, args, on(url));
    t.equal(code, 1);
    t.match(
      stderr,
      new RegExp(
        `^The database has format ${DATABASE_FORMAT + 1}[^\n]+ Install the version that migrated it[^\n]+\n$`,
      ),
    );
  }
});

test('without store.url, and with one that cannot be used, they end with one line', async (t) => {
  const bare = await runCommand(t, ['nodes']);
  t.strictSame([bare.code, bare.stderr.split('\n').length], [1, 2]);
  t.match(bare.stderr, /^Set store\.url \(DECIDER_STORE_URL\)/);
  const closed = `postgres://user:secret@127.0.0.1:${await freePort()}/d`;
  // Ends every connection: no PostgreSQL.
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const other = `postgres://user:secret@127.0.0.1:${(server.address() as { port: number }).port}/d`;
  for (const url of [closed, other, 'postgres://user:secret@127.0.0.1/d?sslmode=maybe']) {
    for (const args of [['store', 'migrate'], ['nodes']]) {
      const { code, stderr } = await runCommand(t, args, on(url));
      t.equal(code, 1);
      t.match(stderr, /^[A-Zs][^\n]+\.\n$/);
      t.notMatch(stderr, /secret/);
    }
  }
  t.equal((await runCommand(t, ['nodes'], { DECIDER_STORE_URL: closed })).code, 1, 'without master_key');
});

test(
  'a number in the database that is beyond 2^53 ends each command, and a start, with one line',
  NEEDS_POSTGRES,
  async (t) => {
    const { url, database } = await newDatabase(t);
    const administration = new DatabaseAdministration(database, 'test');
    await administration.change(CHANGES.createWorkspace('w'));
    const { key } = await administration.change(CHANGES.createKey('w'));
    const put = (text: string) => database.execute(statement('', text));
    await put("UPDATE keys SET expires = 9007199254740992 WHERE workspace = 'w'");
    await put(
      `INSERT INTO usage VALUES ('w', '${new Date().toISOString().slice(0, 10)}', '${key.id}', 'm', 'live', 1, 9007199254740992, 1, 1)`,
    );
    await put(
      `INSERT INTO nodes (id, name, version, format, started, seen, expires)
     VALUES (1, 'a', '0.1.0', ${DATABASE_FORMAT}, 0, -9007199254740992, 0)`,
    );
    for (const args of [['nodes'], ['keys', 'list'], ['usage'], ['serve']]) {
      const { code, stderr } = await runCommand(t, args, on(url));
      t.equal(code, 1, args.join(' '));
      const line =
        /^The answer of the database to the statement \S+ has a number beyond ±2\^53, which decider never stores\. Correct the row in the database\.\n$/;
      t.match(stderr, line, args.join(' '));
    }
  },
);
