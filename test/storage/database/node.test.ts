import { test } from 'tap';
import { Node } from '../../../src/storage/database/node.js';
import { accountOf, addWorkspace, chargeOf, sql } from '../../support/cluster/nodes.js';
import { type MovableClock, movableClock } from '../../support/movable-clock.js';
import { NEEDS_POSTGRES, newDatabase } from '../../support/postgres.js';
import { until } from '../../support/until.js';

/** One of them is for statements that are neither heartbeats nor charges. */
const CONNECTIONS = 4;
/** A statement that holds its connection for longer than the test takes. */
const HOLD = 'SELECT pg_sleep(9)';

/** A node with the parts that a server gives it. */
async function startNode(url: string): Promise<{ node: Node; clock: MovableClock }> {
  const clock = movableClock();
  const store = { url, connections: CONNECTIONS, ca: '' };
  const silent = { error() {}, warn() {} } as never;
  const node = new Node(store, clock, silent);
  await node.start();
  return { node, clock };
}

test(
  'statements that take all connections hold up neither charges nor heartbeats',
  NEEDS_POSTGRES,
  async (t) => {
    const { url, database } = await newDatabase(t);
    const caller = await addWorkspace(database, 'one', { granted: 1_000n });
    const { node } = await startNode(url);
    const holding = node.database.query({ name: '', text: HOLD }).catch(() => {});
    await until(() => node.database.connections.used > 0);
    (await node.ledger.reserve(caller, chargeOf(10))).post();
    await node.ledger.flush();
    t.match(await accountOf(t, database, 'one'), { charged: '10' });
    t.ok(node.database.connections.used > 0, 'the other statement still runs');
    t.strictSame(node.unreadyReasons(), []);
    await sql(database, `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = '${HOLD}'`);
    await holding;
    await node.stop();
  },
);

test('a node whose charges cannot be written is not ready', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const caller = await addWorkspace(database, 'one', { granted: 1_000n });
  const { node, clock } = await startNode(url);
  const reservation = await node.ledger.reserve(caller, chargeOf(10));
  await sql(database, 'ALTER TABLE usage RENAME TO hidden');
  reservation.post();
  await t.rejects(node.ledger.flush(), { name: 'DatabaseUnavailable', code: '42P01' });
  t.strictSame(node.unreadyReasons(), []);
  const message = 'The server cannot write charges to its database.';
  await until(async () => {
    clock.advance(500);
    // With such a clock, what the node knows may be too old for a moment, which is another reason.
    return node.session.isServing && node.unreadyReasons().includes(message);
  });
  t.strictSame(node.unreadyReasons(), [message]);
  await t.rejects(node.access.balance(caller.workspace) as Promise<unknown>, { type: 'overloaded', message });
  await t.rejects(node.access.usage(caller, 1), { type: 'overloaded', message });
  await sql(database, 'ALTER TABLE hidden RENAME TO usage');
  await until(() => {
    clock.advance(100);
    return node.unreadyReasons().length === 0;
  });
  await node.ledger.flush();
  t.match(await node.ledger.balance(caller.workspace), { charged: 10n });
  await node.stop();
});
