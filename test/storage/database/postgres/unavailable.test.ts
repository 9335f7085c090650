import { type Test, test } from 'tap';
import {
  type DatabaseUnavailable,
  requireFormat,
  statement,
} from '../../../../src/storage/database/index.js';
import { freePort } from '../../../support/free-port.js';
import { connectTo, NEEDS_POSTGRES, newDatabase, postgres } from '../../../support/postgres.js';
import { LONG } from '../../../support/scale.js';
import { TcpProxy } from '../../../support/tcp-proxy.js';
import { until } from '../../../support/until.js';

const ONE = statement('one', 'SELECT 1 AS one');
const PASSWORD = 'a-secret-password';

/** What a statement on a database fails with: always DatabaseUnavailable, in one line, without the password. */
async function failure(t: Test, url: string, settings = {}): Promise<string> {
  const error = (await connectTo(t, url, settings)
    .query(ONE)
    .catch((each) => each)) as DatabaseUnavailable;
  t.equal(error.name, 'DatabaseUnavailable', url);
  t.match(error.message, /^The [^\n]+\.$/);
  t.notMatch(`${error.message}${error.stack}${JSON.stringify(error)}`, new RegExp(PASSWORD));
  return `${error.code}: ${error.message}`;
}

test('a wrong user, password, database, host or port', NEEDS_POSTGRES, async (t) => {
  const server = await postgres();
  await server.run(`CREATE ROLE with_password LOGIN PASSWORD '${PASSWORD}'`);
  const url = ({
    user = 'with_password',
    password = PASSWORD,
    at = `127.0.0.1:${server.port}`,
    name = 'postgres',
  }) => `postgres://${user}:${password}@${at}/${name}`;
  t.strictSame(await connectTo(t, url({})).query(ONE), [{ one: 1 }]);
  t.match(await failure(t, url({ password: 'x' })), /^28P01: .*rejected the user name or password/);
  const none = url({}).replace(`:${PASSWORD}`, '');
  t.match(await failure(t, none), /^no_password: .*requires a password, and store\.url has none/);
  t.match(
    await failure(t, url({ user: 'unknown_role' })),
    /^28000: .*create the role with LOGIN.*pg_hba\.conf/,
  );
  t.match(await failure(t, url({ name: 'nowhere' })), /^3D000: .*named in store\.url does not exist/);
  t.match(await failure(t, url({ at: `127.0.0.1:${await freePort()}` })), /^ECONNREFUSED: /);
  // A name that cannot exist: no DNS server is asked, whose answer may take longer than a connection may.
  t.match(await failure(t, url({ at: 'database..invalid' })), /^(ENOTFOUND|EAI_AGAIN): .*cannot be resolved/);
  t.match(await failure(t, `${url({})}?sslmode=require`), /^no_tls: .*sslmode=disable/);
});

test('a Unix socket', NEEDS_POSTGRES, async (t) => {
  const { folder, port } = await postgres();
  const url = (at: string) => `postgres://postgres@:${port}/postgres?host=${encodeURIComponent(at)}`;
  t.strictSame(await connectTo(t, url(folder)).query(ONE), [{ one: 1 }]);
  t.match(await failure(t, url(`${folder}/none`)), /^ENOENT: .*no Unix socket in the folder/);
});

test('more connections than the database accepts', NEEDS_POSTGRES, async (t) => {
  const server = await postgres();
  await server.run('CREATE ROLE limited LOGIN CONNECTION LIMIT 1');
  const url = server.url().replace('postgres@', 'limited@');
  const first = connectTo(t, url);
  await first.query(ONE);
  t.match(await failure(t, url), /^53300: .*lower store\.connections/);
  t.equal((await first.query(ONE)).length, 1);
});

test('a database that became read-only, as a former primary', NEEDS_POSTGRES, async (t) => {
  const { url } = await newDatabase(t);
  const server = await postgres();
  await server.run(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`);
  const database = connectTo(t, url);
  await database.query(ONE);
  const write = database.execute(statement('write', `INSERT INTO duties VALUES ('a', 1)`));
  await t.rejects(write, { name: 'DatabaseUnavailable', code: '25006' });
});

test('a transaction whose client is silent loses its locks', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const limit = statement('limit', 'SHOW idle_in_transaction_session_timeout');
  t.strictSame(await database.query(limit), [{ idle_in_transaction_session_timeout: '5s' }]);
  if (!LONG) return;
  const lock = statement('lock', 'SELECT 1 AS locked FROM service FOR UPDATE');
  let wake: (() => void) | null = null;
  const silent = database.transaction(async (transaction) => {
    await transaction.query(lock);
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    await transaction.query(ONE);
  });
  const ended = t.rejects(silent, { name: 'DatabaseUnavailable' });
  await until(() => wake !== null);
  t.equal((await database.query(lock)).length, 1, 'waits until the database has ended the other');
  (wake as unknown as () => void)();
  await ended;
});

test('a user without privileges', NEEDS_POSTGRES, async (t) => {
  const { url } = await newDatabase(t);
  await (await postgres()).run('CREATE ROLE stranger LOGIN');
  const database = connectTo(t, url.replace('postgres@', 'stranger@'));
  await t.rejects(requireFormat(database), { name: 'DatabaseUnavailable', code: '42501' });
});

test('a statement without an answer times out, and its connection is replaced', NEEDS_POSTGRES, async (t) => {
  const { url } = await newDatabase(t);
  const proxy = await TcpProxy.start(t, (await postgres()).port);
  const database = connectTo(t, url.replace(/:\d+\//, `:${proxy.port}/`), { connections: 1 });
  const pid = statement('pid', 'SELECT pg_backend_pid() AS pid');
  const before = await database.query(pid);
  const silent = database.transaction(
    async (transaction) => {
      proxy.pause();
      return transaction.query(ONE);
    },
    { statementMs: 50 },
  );
  await t.rejects(silent, { name: 'DatabaseUnavailable', code: 'timeout' });
  proxy.resume();
  t.notSame(await database.query(pid), before);
});
