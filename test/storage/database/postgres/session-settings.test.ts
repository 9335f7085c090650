import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type Test, test } from 'tap';
import { type Database, requireUsable, statement } from '../../../../src/storage/database/index.js';
import { listen } from '../../../../src/storage/database/postgres/listen.js';
import { SESSION_SETTINGS } from '../../../../src/storage/database/postgres/session-settings.js';
import { connectTo, NEEDS_POSTGRES, newDatabase, postgres } from '../../../support/postgres.js';
import { until } from '../../../support/until.js';

/** Another value for each setting, as `ALTER ROLE … SET` gives it. */
const OTHERS: Readonly<Record<string, string>> = {
  statement_timeout: '500ms',
  idle_in_transaction_session_timeout: '30s',
  lock_timeout: '1ms',
  idle_session_timeout: '20s',
  synchronous_commit: 'off',
  default_transaction_isolation: 'serializable',
  search_path: 'pg_catalog',
  client_encoding: 'LATIN1',
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  TimeZone: 'Asia/Kathmandu',
  DateStyle: 'SQL, DMY',
  IntervalStyle: 'iso_8601',
};

/** The settings in force on a connection of a pool. */
async function settingsOf(database: Database): Promise<Record<string, string>> {
  const columns = SESSION_SETTINGS.map(({ name }) => `current_setting('${name}', true) AS "${name}"`);
  const [row] = await database.query<Record<string, string>>(
    statement('settings', `SELECT ${columns.join(', ')}`),
  );
  return row ?? {};
}

/** Every setting has the value that the program relies on; an optional one may be missing. */
function same(t: Test, found: Record<string, string>): void {
  for (const { name, value, isOptional } of SESSION_SETTINGS)
    if (!(isOptional && found[name] === null)) t.equal(found[name], value, name);
}

test('a role or a database with other defaults changes no setting', NEEDS_POSTGRES, async (t) => {
  const { url } = await newDatabase(t);
  const server = await postgres();
  const role = `altered_${new URL(url).pathname.slice(1)}`;
  await server.run(`CREATE ROLE ${role} LOGIN SUPERUSER`);
  for (const { name, isOptional } of SESSION_SETTINGS) {
    if (isOptional) continue;
    t.ok(OTHERS[name], `${name} has another value in this test`);
    await server.run(`ALTER ROLE ${role} SET ${name} = ${quoted(name, OTHERS[name] as string)}`);
  }
  const database = connectTo(t, url.replace('postgres@', `${role}@`));
  same(t, await settingsOf(database));
  // The connection that listens is not in the pool.
  let heard = '';
  const stop = listen(database, ['altered'], (_, payload) => {
    heard = payload === '' ? heard : payload;
  });
  t.teardown(stop);
  await until(async () => {
    await database.query(statement('notify', `SELECT pg_notify('altered', 'here')`));
    return heard === 'here';
  });
  const listening = `SELECT count(*) AS count FROM pg_stat_activity WHERE usename = '${role}'`;
  t.strictSame(await database.query(statement('listening', listening)), [{ count: 2 }]);
});

const quoted = (name: string, value: string) => (name === 'search_path' ? value : `'${value}'`);

test('a stronger synchronous_commit is kept', NEEDS_POSTGRES, async (t) => {
  const { url } = await newDatabase(t);
  await (await postgres()).run(
    `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = remote_apply`,
  );
  t.equal((await settingsOf(connectTo(t, url))).synchronous_commit, 'remote_apply');
});

test('a database that cannot be written is refused with the cause', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  t.equal(await requireUsable(database), 'direct');
  await (await postgres()).run(
    `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`,
  );
  await t.rejects(requireUsable(database), { code: '25006', message: /default_transaction_read_only is on/ });
});

test('an error of a pooler names its cause', async (t) => {
  const messages = new Map([
    [
      'unsupported startup parameter: application_name',
      /refused the startup parameter application_name: add it/,
    ],
    ['unsupported startup parameter: a\u001b[2J', /startup parameter of an unknown name/],
    ['no more connections allowed (max_client_conn)', /raise its max_client_conn/],
    ['query_wait_timeout', /raise its default_pool_size/],
    ['something else', /connection to the database failed/],
  ]);
  for (const [message, meaning] of messages) {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        const fields = `SFATAL\0C08P01\0M${message}\0\0`;
        const head = Buffer.from('E\0\0\0\0');
        head.writeUInt32BE(Buffer.byteLength(fields) + 4, 1);
        socket.end(Buffer.concat([head, Buffer.from(fields)]));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const failed = connectTo(t, `postgres://u@127.0.0.1:${port}/d`).query(statement('one', 'SELECT 1'));
    await t.rejects(failed, { name: 'DatabaseUnavailable', code: '08P01', message: meaning }, message);
    server.close();
  }
});
