import { setTimeout as sleep } from 'node:timers/promises';
import { Database, statement } from '../../../src/storage/database/index.js';
import type { Random } from '../../support/random.js';
import type { Replicated } from '../../support/replicated.js';
import type { Fault } from './world.js';

const DOWN_MS_MAX = 12_000;
const SHORT_MS_MAX = 1_500;
const STALL_MS_MAX = 8_000;
/** The time between the end of a primary and the promotion, in milliseconds. */
const GAPS_MS = [0, 1_000, 10_000] as const;
/** After a change of the kind of replication, in milliseconds. */
const SETTLED_MS = 300;
/** How long a standby lags before a failover. */
const LAG_MS_MAX = 3_000;
const LOCKED = ['accounts', 'nodes', 'batches', 'batch_chunks', 'service', 'usage'] as const;
const BACKENDS = statement(
  '',
  `SELECT pid FROM pg_stat_activity WHERE application_name = 'decider' AND pid <> pg_backend_pid()`,
);

const duration = (next: Random, most: number) => next.integer(next.integer(3) === 0 ? most : SHORT_MS_MAX);

export const failoverName = (kind: 'synchronous' | 'asynchronous', gapMs: number) =>
  `${kind} failover, ${gapMs / 1_000} s`;

/** Faults of the database of all nodes. */
export function databaseFaults(server: Replicated, databaseName: string): Fault[] {
  let isSynchronous = true;
  const settle = async (next: Random) => {
    await server.follow();
    isSynchronous = next.integer(2) === 0;
    await server.synchronous(isSynchronous);
  };
  const fault = (
    name: string,
    weight: number,
    work: (next: Random) => Promise<number | undefined>,
  ): Fault => ({
    name,
    scope: 'database',
    weight,
    async cause(next) {
      const lostSince = await work(next);
      return lostSince === undefined ? { node: null } : { node: null, lostSince };
    },
  });
  const failovers = GAPS_MS.flatMap((gap) => [
    fault(failoverName('synchronous', gap), 1, async (next) => {
      if (!isSynchronous) await server.synchronous(true);
      await server.caughtUp();
      await sleep(SETTLED_MS + next.integer(SHORT_MS_MAX));
      await server.failOver(gap);
      await settle(next);
      return undefined;
    }),
    {
      ...fault(failoverName('asynchronous', gap), 1, async (next) => {
        const since = performance.now();
        // Of a primary that was just restarted, the standby may lack the last seconds.
        await server.caughtUp();
        if (isSynchronous) await server.synchronous(false);
        if (next.integer(4) > 0) server.holdStream();
        await sleep(SETTLED_MS + next.integer(LAG_MS_MAX));
        await server.failOver(gap);
        await settle(next);
        return since;
      }),
      loses: true,
    },
  ]);
  return [
    ...failovers,
    fault('restart the database', 2, async (next) => {
      const how = (['kill', 'immediate', 'fast'] as const)[next.integer(3)] as 'kill';
      await server.primary.stop(how);
      await sleep(duration(next, DOWN_MS_MAX));
      await server.primary.start();
      return undefined;
    }),
    fault('stall the standby', 1, async (next) => {
      server.holdStream();
      await sleep(duration(next, STALL_MS_MAX));
      server.releaseStream();
      return undefined;
    }),
    fault('lock a table', 2, async (next) => {
      const table = LOCKED[next.integer(LOCKED.length)];
      const ms = duration(next, STALL_MS_MAX);
      await onPrimary(server, databaseName, (database) =>
        database.transaction(async (transaction) => {
          await transaction.execute(statement('', `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`));
          await transaction.query(statement('', `SELECT pg_sleep(${ms / 1_000})`));
        }),
      ).catch(() => {});
      return undefined;
    }),
    fault('stop a backend', 2, async (next) => {
      const rows = await onPrimary(server, databaseName, (database) =>
        database.query<{ pid: number }>(BACKENDS),
      );
      const pid = rows[next.integer(Math.max(1, rows.length))]?.pid;
      if (pid === undefined) return undefined;
      await freeze(pid, duration(next, STALL_MS_MAX));
      return undefined;
    }),
  ];
}

async function freeze(pid: number, ms: number): Promise<void> {
  try {
    process.kill(pid, 'SIGSTOP');
    await sleep(ms);
    process.kill(pid, 'SIGCONT');
  } catch {
    // It has ended.
  }
}

async function onPrimary<Result>(
  server: Replicated,
  name: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = new Database({ url: server.primary.url(name), connections: 1, ca: '' });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
