import { test } from 'tap';
import { requireUsable, statement } from '../../../../src/storage/database/index.js';
import { run } from '../../../support/cli.js';
import { NEEDS_PGBOUNCER, pgbouncer } from '../../../support/pgbouncer.js';
import { connectTo, newDatabase } from '../../../support/postgres.js';
import { LONG, scaled } from '../../../support/scale.js';

const LIMITS = statement(
  'limits',
  `SELECT current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle`,
);

/** Whether it resets a session, and what it does with startup parameters that it does not know. */
const LONG_SESSION_POOLERS = [
  [],
  ['ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout'],
  ['default_pool_size = 3'],
  ['server_round_robin = 1'],
];
const SESSION_POOLERS = [
  ['server_reset_query = DISCARD ALL', 'server_reset_query_always = 1'],
  ['server_reset_query ='],
  ...(LONG ? LONG_SESSION_POOLERS : []),
];

for (const settings of SESSION_POOLERS) {
  test(`a pooler in session mode keeps the limits (${settings.join('; ')})`, NEEDS_PGBOUNCER, async (t) => {
    const { url } = await newDatabase(t);
    const through = await pgbouncer(t, url, ['pool_mode = session', ...settings]);
    const first = connectTo(t, through, { connections: 2 });
    t.equal(await requireUsable(first), 'pooler');
    t.strictSame(await first.query(LIMITS), [{ statement: '10s', idle: '5s' }]);
    await first.close();
    // The pooler has the session of the first connection left, with its prepared statements if they were not reset.
    const second = connectTo(t, through, { connections: 2 });
    t.strictSame(await second.query(LIMITS), [{ statement: '10s', idle: '5s' }]);
  });
}

const LONG_SHARING_POOLERS = [
  ['pool_mode = transaction', 'server_round_robin = 1'],
  ['pool_mode = transaction', 'default_pool_size = 1'],
  ['pool_mode = transaction', 'min_pool_size = 5'],
  ['pool_mode = statement', 'server_round_robin = 1'],
];
const SHARING_POOLERS = [
  ['pool_mode = transaction'],
  ['pool_mode = transaction', 'min_pool_size = 5', 'server_round_robin = 1'],
  ['pool_mode = statement'],
  ...(LONG ? LONG_SHARING_POOLERS : []),
];
const BUSY_ROUNDS = scaled({ short: 2, long: 10 });

for (const settings of SHARING_POOLERS) {
  test(`a pooler that shares sessions is refused (${settings.join('; ')})`, NEEDS_PGBOUNCER, async (t) => {
    const { url, database } = await newDatabase(t);
    const through = await pgbouncer(t, url, settings);
    const refused = { name: 'DatabaseUnavailable', message: /pool_mode = session/ };
    await t.rejects(requireUsable(connectTo(t, through)), refused);
    // While other clients change sessions, too.
    const busy = new AbortController();
    const others = [1, 2, 3, 4].map(async () => {
      const other = connectTo(t, through);
      while (!busy.signal.aborted) await other.query(statement('', 'SELECT 1')).catch(() => {});
    });
    for (let round = 0; round < BUSY_ROUNDS; round += 1)
      await t.rejects(requireUsable(connectTo(t, through)), refused);
    busy.abort();
    await Promise.all(others);
    t.equal(await requireUsable(database), 'direct');
  });
}

test(
  'start, doctor and commands refuse a pooler that shares sessions in one line',
  NEEDS_PGBOUNCER,
  async (t) => {
    const { url } = await newDatabase(t);
    const through = await pgbouncer(t, url, ['pool_mode = transaction']);
    const environment = { DECIDER_STORE_URL: through, DECIDER_MASTER_KEY: '0'.repeat(64) };
    for (const args of [['serve'], ['store', 'migrate'], ['nodes']]) {
      const { code, stderr } = await run(t, args, environment);
      t.equal(code, 1, args.join(' '));
      t.match(stderr, /^store\.url leads to a connection pooler in transaction or statement mode[^\n]+\n$/);
    }
    const { code, stdout } = await run(t, ['doctor', '--json'], environment);
    t.equal(code, 1);
    t.match(
      JSON.parse(stdout).find(({ check }: { check: string }) => check === 'database'),
      {
        ok: false,
        detail: /pool_mode = session/,
      },
    );
  },
);
