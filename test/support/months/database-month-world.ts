import type { Test } from 'tap';
import { Access, type Caller, RateLimiter } from '../../../src/access/index.js';
import { ApiError } from '../../../src/api/index.js';
import { JUMP_LASTS_MS } from '../../../src/base/index.js';
import { reconcile } from '../../../src/storage/database/administration/reconcile.js';
import { balanceOf } from '../../../src/storage/database/administration/reports.js';
import { storedPause } from '../../../src/storage/database/batches/batch-store.js';
import type { Database } from '../../../src/storage/database/index.js';
import { DatabaseLedger } from '../../../src/storage/database/ledger/ledger.js';
import { NOW_MS, SETTLED_MS } from '../../../src/storage/database/postgres/calendar-sql.js';
import { EXPIRY_MS } from '../../../src/storage/database/session/node-rows.js';
import { HEARTBEAT_MS } from '../../../src/storage/database/session/session.js';
import { type CalendarNode, CalendarWorld } from '../cluster/calendar-world.js';
import { addWorkspace, chargeOf, sql } from '../cluster/nodes.js';
import { until } from '../until.js';
import type { MonthWorld } from './month-world.js';

/** Heartbeats until the node has found a jump, or has a session again. */
const FOUND = 5;

interface Server {
  readonly node: CalendarNode;
  readonly ledger: DatabaseLedger;
  readonly access: Access;
}

/** The only node of a cluster. `start`: by the clock of the database. */
export async function databaseMonthWorld(t: Test, start: number): Promise<MonthWorld> {
  const world = await CalendarWorld.start(t, 0, start);
  const { database } = world;
  const granted = 10n ** 15n;
  let caller: Caller = await addWorkspace(database, 'w', { granted });
  let server = await open(t, world, () => caller);
  const wait = async (ms: number) => {
    const rest = ms - FOUND * 1_000;
    if (rest > 0) await world.pass(rest, [server.node]);
    await world.beat(Math.min(FOUND, Math.ceil(ms / 1_000)), [server.node]);
    // A jump that is due is accepted meanwhile, beside the statements of the test.
    while (await isDue(database)) await world.beat(FOUND, [server.node]);
    await until(() => server.ledger.canServe);
  };
  return {
    async times() {
      const text = `SELECT (SELECT ${NOW_MS}) AS now, (SELECT ${SETTLED_MS}) AS settled`;
      const [times] = await sql<{ now: number; settled: number }>(database, text);
      return times as { now: number; settled: number };
    },
    async charge(amount) {
      try {
        const reservation = await server.ledger.reserve(caller, chargeOf(amount));
        reservation.post();
        await server.ledger.flush();
        return null;
      } catch (error) {
        if (error instanceof ApiError) return error.type;
        throw error;
      }
    },
    pause: () => storedPause(database, 'w'),
    async monthCharged() {
      const { monthCharged } = await server.access.balance(caller.workspace);
      return { server: monthCharged, commands: (await balanceOf(database, caller.workspace)).monthCharged };
    },
    usage: (days) => server.access.usage(caller, days),
    async counters() {
      const rows = await sql<{ day: string; amount: string }>(
        database,
        'SELECT day, sum(amount) AS amount FROM usage GROUP BY day',
      );
      return new Map(rows.map(({ day, amount }) => [day, BigInt(amount)]));
    },
    problems: async () => (await reconcile(database)).problems,
    async setBudget(budget) {
      caller = { ...caller, workspace: { ...caller.workspace, budget } };
      await sql(database, 'UPDATE workspaces SET budget = $1', [budget]);
    },
    wait,
    async jump(ms) {
      await world.clock.move(ms);
      await wait(FOUND * 1_000);
    },
    async restart(ms, isKilled) {
      await server.ledger.stop(0);
      if (!isKilled) await server.node.session.stop();
      await world.clock.move(ms);
      server = await open(t, world, () => caller);
      // Until the session of a killed node expires, charges may wait for its lease, and the clock stands still meanwhile.
      if (isKilled) await world.beat(EXPIRY_MS / HEARTBEAT_MS, [server.node]);
      await wait(FOUND * 1_000);
    },
  };
}

/** Whether the nodes will follow a jump within the next heartbeats. */
async function isDue(database: Database): Promise<boolean> {
  const due = await sql(database, `SELECT FROM calendar WHERE ${NOW_MS} - since >= $1`, [
    JUMP_LASTS_MS - 2 * FOUND * 1_000,
  ]);
  return due.length > 0;
}

async function open(t: Test, world: CalendarWorld, caller: () => Caller): Promise<Server> {
  const node = await world.join();
  const { session, database } = node;
  const onError = (error: unknown) => void t.error(error);
  const ledger = new DatabaseLedger({
    database,
    session,
    random: () => 0.5,
    onError,
    listen: () => async () => {},
  });
  ledger.start();
  t.teardown(() => ledger.stop(0).catch(() => {}));
  const directory = {
    refresh() {},
    keyOfDigest: () => undefined,
    key: () => caller().key,
    workspace: () => caller().workspace,
  };
  const { clock } = session;
  const access = new Access({ directory, ledger, limiter: new RateLimiter(clock), clock });
  return { node, ledger, access };
}
