import pg from 'pg';
import { systemClock } from '../../../base/index.js';
import { type Address, readAddress } from './address.js';
import {
  CommitUnknown,
  commitError,
  connectError,
  DatabaseUnavailable,
  isConflict,
  StatementError,
  statementError,
} from './database-errors.js';
import { types } from './postgres-types.js';
import { prepareSession, STATEMENT_MS_MAX } from './session-settings.js';
import type { Queryable, Statement } from './statement.js';

/** A connection must be made, or become free, within this many milliseconds. */
const CONNECT_MS_MAX = 5_000;
/** A connection that was idle for this many milliseconds is closed. */
const IDLE_MS = 30_000;
/** A connection older than this many seconds is replaced, so that connections move to where a proxy now sends them. */
const CONNECTION_SECONDS_MAX = 30 * 60;
/** The client waits this many milliseconds longer than the database's own limit. */
const NETWORK_MS = 1_000;
/** The most calls that wait for a connection; further ones fail at once. */
export const WAITING_MAX = 1_000;
/** The most attempts of a transaction that conflicts with concurrent ones. */
export const ATTEMPTS_MAX = 10;
/** The pause before attempt n is random, up to this many milliseconds times 2^n, and up to the maximum. */
const PAUSE_MS = 4;
const PAUSE_MS_MAX = 200;

export interface DatabaseSettings {
  /** `store.url` */
  readonly url: string;
  /** `store.connections`: connections at a time. */
  readonly connections: number;
  /** `store.ca`: the PEM file of the authority of the database's certificate; '': none. */
  readonly ca: string;
}

export interface TransactionOptions {
  /** The longest time of each statement, in milliseconds, in place of 10 s. */
  readonly statementMs?: number;
}

/** The statements of one transaction; see `Queryable`. Send one after the other. */
export type Transaction = Queryable;

/** A PostgreSQL database: a pool of connections. */
export class Database implements Queryable {
  private readonly address: Address;
  private readonly pool: pg.Pool;
  private readonly sent = new Map<string, number>();

  /** Does not connect yet. `random` returns 0 ≤ x < 1. Throws OperatorError for a wrong URL or certificate file. */
  constructor(
    settings: DatabaseSettings,
    private readonly random: () => number = Math.random,
  ) {
    this.address = readAddress(settings.url, settings.ca);
    this.pool = new pg.Pool({
      ...this.clientConfig(),
      onConnect: prepareSession,
      max: settings.connections,
      idleTimeoutMillis: IDLE_MS,
      maxLifetimeSeconds: CONNECTION_SECONDS_MAX,
    });
    // Without listeners, the loss of an idle connection would end the process. The next statement reports it.
    this.pool.on('error', () => {});
    this.pool.on('connect', (client) => client.on('error', () => {}));
  }

  /** How often each statement was sent, by name; `begin`, `commit` and `rollback` too. */
  get statements(): ReadonlyMap<string, number> {
    return this.sent;
  }

  /** Connections, and those of them that are in use. */
  get connections(): { readonly open: number; readonly used: number } {
    const { totalCount, idleCount } = this.pool;
    return { open: totalCount, used: totalCount - idleCount };
  }

  /** The settings of a connection outside the pool, such as for LISTEN. Once it is connected, call `prepareSession`. */
  clientConfig(): pg.ClientConfig {
    return {
      ...this.address,
      application_name: 'decider',
      connectionTimeoutMillis: CONNECT_MS_MAX,
      query_timeout: STATEMENT_MS_MAX + NETWORK_MS,
      keepAlive: true,
      types,
    };
  }

  /** Runs one statement in a transaction of its own. If it fails, its writes may have been committed or not. */
  query<Row extends object>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    return this.attempt(async (client) => (await this.send(client, statement, values)).rows as Row[]);
  }

  /** Like `query`; returns how many rows were changed. */
  execute(statement: Statement, values: readonly unknown[] = []): Promise<number> {
    return this.attempt(async (client) => (await this.send(client, statement, values)).rowCount ?? 0);
  }

  /**
   * Runs `work` in a transaction at READ COMMITTED. After a conflict with a concurrent transaction, `work` is run again, up
   * to ATTEMPTS_MAX times in all, so it must change nothing but the database. Throws what `work` throws, after a rollback;
   * DatabaseUnavailable; CommitUnknown; StatementError.
   */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    { statementMs }: TransactionOptions = {},
  ): Promise<Result> {
    return this.attempt(async (client) => {
      const send = (each: Statement, values: readonly unknown[] = []) =>
        this.send(client, each, values, statementMs);
      await send(BEGIN);
      let result: Result;
      try {
        if (statementMs !== undefined) await send(LIMIT_STATEMENTS, [String(statementMs)]);
        result = await work({
          query: async <Row extends object>(each: Statement, values?: readonly unknown[]) =>
            (await send(each, values)).rows as Row[],
          execute: async (each, values) => (await send(each, values)).rowCount ?? 0,
        });
      } catch (error) {
        // A connection that fails here too is closed by `attempt`.
        if (!(error instanceof DatabaseUnavailable)) await send(ROLLBACK);
        throw error;
      }
      const { command } = await this.commit(client);
      // PostgreSQL answers the COMMIT of a transaction in which a statement failed with ROLLBACK.
      if (command !== 'COMMIT')
        throw new Error('The transaction was rolled back: a statement in it had failed.');
      return result;
    });
  }

  /** Like `transaction`, for work that changes nothing: its result holds although its COMMIT gets no answer. */
  async read<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options: TransactionOptions = {},
  ): Promise<Result> {
    const results: Result[] = [];
    try {
      return await this.transaction(async (transaction) => {
        results[0] = await work(transaction);
        return results[0];
      }, options);
    } catch (error) {
      if (!(error instanceof CommitUnknown)) throw error;
      return results[0] as Result;
    }
  }

  /** Closes all connections, after the statements in progress. */
  async close(): Promise<void> {
    if (!this.pool.ended && !this.pool.ending) await this.pool.end();
  }

  /** Runs `work` on a connection; again after a conflict with a concurrent transaction. */
  private async attempt<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.onConnection(work);
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        if (attempt === ATTEMPTS_MAX)
          throw new DatabaseUnavailable(
            `A transaction conflicted with concurrent ones ${ATTEMPTS_MAX} times (SQLSTATE ${error.code}).`,
            error.code,
          );
      }
      await pause(this.random() * Math.min(PAUSE_MS * 2 ** attempt, PAUSE_MS_MAX));
    }
  }

  private async onConnection<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.connect();
    let usable = true;
    try {
      return await work(client);
    } catch (error) {
      // The state of the connection may be why a statement was refused, such as a plan that it has cached.
      usable = !(error instanceof DatabaseUnavailable || error instanceof StatementError);
      throw error;
    } finally {
      client.release(!usable);
    }
  }

  private async connect(): Promise<pg.PoolClient> {
    if (this.pool.ending)
      throw new DatabaseUnavailable('The connections to the database are closed.', 'closed');
    if (this.pool.waitingCount >= WAITING_MAX)
      throw new DatabaseUnavailable('Too many calls wait for a connection to the database.', 'waiting');
    try {
      return await this.pool.connect();
    } catch (error) {
      throw connectError(error);
    }
  }

  private async send(
    client: pg.PoolClient,
    { name, text }: Statement,
    values: readonly unknown[],
    statementMs?: number,
  ): Promise<pg.QueryResult> {
    this.count(name);
    try {
      return await client.query({
        name,
        text,
        values: [...values],
        ...(statementMs === undefined ? {} : { query_timeout: statementMs + NETWORK_MS }),
      });
    } catch (error) {
      if (isConflict(error)) throw new Conflict((error as pg.DatabaseError).code as string);
      throw statementError(error, name);
    }
  }

  private async commit(client: pg.PoolClient): Promise<pg.QueryResult> {
    this.count('commit');
    try {
      return await client.query('COMMIT');
    } catch (error) {
      if (isConflict(error)) throw new Conflict((error as pg.DatabaseError).code as string);
      throw commitError(error);
    }
  }

  private count(name: string): void {
    this.sent.set(name, (this.sent.get(name) ?? 0) + 1);
  }
}

/** The transaction conflicts with a concurrent one. */
class Conflict extends Error {
  /** @param code the SQLSTATE */
  constructor(readonly code: string) {
    super(`The transaction conflicts with a concurrent one (SQLSTATE ${code}).`);
  }
}

const BEGIN: Statement = { name: 'begin', text: 'BEGIN ISOLATION LEVEL READ COMMITTED' };
const ROLLBACK: Statement = { name: 'rollback', text: 'ROLLBACK' };
const LIMIT_STATEMENTS: Statement = {
  name: 'limit-statements',
  text: `SELECT set_config('statement_timeout', $1, true)`,
};

const pause = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve));
