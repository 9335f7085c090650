import type { Test } from 'tap';
import type { Amount, Caller, Charge, Reservation, Workspace } from '../../../src/access/index.js';
import { ApiError } from '../../../src/api/index.js';
import { type Clock, systemClock } from '../../../src/base/index.js';
import type { Database } from '../../../src/storage/database/index.js';
import { DatabaseLedger } from '../../../src/storage/database/ledger/ledger.js';
import { Session } from '../../../src/storage/database/session/session.js';
import { connectTo, postgres } from '../postgres.js';
import { random } from '../random.js';
import { TcpProxy } from '../tcp-proxy.js';

/** A statement of a test. */
export const sql = <Row extends object>(database: Database, text: string, values: readonly unknown[] = []) =>
  database.query<Row>({ name: '', text }, values);

/** One node of a cluster, without HTTP. */
export interface TestNode {
  readonly session: Session;
  readonly ledger: DatabaseLedger;
  readonly database: Database;
  /** Between the node and the database. */
  readonly proxy: TcpProxy;
  readonly errors: unknown[];
  /** Ends it as a crash does: nothing more is written or returned. */
  crash(): void;
}

interface NodeOptions {
  readonly clock?: Clock;
  /** Whether the node receives notifications; if not, it only polls. */
  readonly listens?: boolean;
}

/** Starts a node on a database, behind a proxy; it ends with the test. */
export async function startNode(
  t: Test,
  url: string,
  { clock = systemClock, listens = true }: NodeOptions = {},
): Promise<TestNode> {
  const proxy = await TcpProxy.start(t, (await postgres()).port);
  const database = connectTo(t, url.replace(/:\d+\//, `:${proxy.port}/`));
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const session = new Session({ database, clock, node: { name: 'node', version: '1.0.0' }, onError });
  const mute = listens ? {} : { listen: () => async () => {} };
  const ledger = new DatabaseLedger({ database, session, random: random(1).number, onError, ...mute });
  await session.start();
  ledger.start();
  const stop = async () => {
    await ledger.stop(0);
    await session.stop();
  };
  t.teardown(() => stop().catch(() => {}));
  return { session, ledger, database, proxy, errors, crash: () => proxy.cut(true) };
}

/** Adds a workspace to the database. */
export async function addWorkspace(
  database: Database,
  id: string,
  { granted, budget = null }: { granted: Amount; budget?: Amount | null },
): Promise<Caller> {
  await sql(
    database,
    `INSERT INTO workspaces (id, created, budget, bytes_per_minute, requests_per_minute, granted, changed)
     VALUES ($1, 0, $2, 1000000, 1000000, $3, 1)`,
    [id, budget, granted],
  );
  await sql(database, `INSERT INTO grants VALUES ($1, 1, 0, $2)`, [id, granted]);
  return callerOf(id, granted, budget);
}

function callerOf(id: string, granted: Amount, budget: Amount | null): Caller {
  const limits = { bytesPerMinute: 1_000_000, requestsPerMinute: 1_000_000 };
  const state = { name: null, created: 0, closed: null };
  const workspace: Workspace = { id, ...state, granted, budget, models: null, ...limits };
  const key = {
    id: `key_of_${id}`,
    workspace: id,
    name: null,
    digest: '',
    created: 0,
    expires: null,
    revoked: null,
  };
  return { key: { ...key, rolledTo: null }, workspace } as unknown as Caller;
}

/** A charge of `tokens` units. */
export const chargeOf = (tokens: number): Charge => ({
  model: 'model',
  kind: 'live',
  inputTokens: tokens,
  price: 1n,
});

/** The reservation, or the type of the error. */
export async function tryReserve(
  node: TestNode,
  caller: Caller,
  tokens: number,
): Promise<Reservation | string> {
  try {
    return await node.ledger.reserve(caller, chargeOf(tokens));
  } catch (error) {
    if (error instanceof ApiError) return error.type;
    throw error;
  }
}

interface AccountRow {
  readonly charged: string;
  readonly month_charged: string;
  readonly leased: string;
  readonly exact: boolean;
}

/** The account of a workspace in the database. Fails if the leases or the counters do not have its sums. */
export async function accountOf(t: Test, database: Database, workspace: string): Promise<AccountRow> {
  const [row] = await sql<AccountRow & { leases: string; used: string; used_month: string }>(
    database,
    `SELECT charged, month_charged, leased, exact,
       (SELECT coalesce(sum(amount), 0) FROM credit_leases WHERE workspace = $1) AS leases,
       (SELECT coalesce(sum(amount), 0) FROM usage WHERE workspace = $1) AS used,
       (SELECT coalesce(sum(amount), 0) FROM usage WHERE workspace = $1 AND day LIKE month || '%') AS used_month
     FROM accounts WHERE workspace = $1`,
    [workspace],
  );
  if (row === undefined) throw new Error('the workspace has no account');
  t.equal(row.leased, row.leases, 'leased is the sum of the leases');
  t.equal(row.charged, row.used, 'charged is the sum of the counters');
  t.equal(row.month_charged, row.used_month, 'charged this month is the sum of its counters');
  return row;
}
