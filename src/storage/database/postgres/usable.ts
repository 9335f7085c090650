import pg from 'pg';
import type { Database } from './database.js';
import { connectError, DatabaseUnavailable, POOLED, statementError } from './database-errors.js';

/**
 * Rounds of the search for a pooler that shares sessions. Round n begins with n more statements of one connection: with
 * the same number in every round, a pooler that gives out two or four idle sessions in turns gave each connection its own
 * again, and was accepted.
 */
const ROUNDS = 3;

/** How connections reach the database: one session each, or through a pooler that gives each its session. */
export type Path = 'direct' | 'pooler';

/**
 * Verifies what `store.url` must lead to: a database that can be written, and connections that each keep one session of it.
 * Opens at most two connections, and closes them. Throws DatabaseUnavailable, whose message names the cause.
 */
export async function requireUsable(database: Database): Promise<Path> {
  const one = new Probe(database);
  const other = new Probe(database);
  try {
    await one.connect();
    await one.requireWritable();
    if (await one.isDirect()) return 'direct';
    await other.connect();
    if (await changesSessions(one, other)) throw new DatabaseUnavailable(`${POOLED}.`, 'pooled');
    return 'pooler';
  } finally {
    await Promise.all([one.end(), other.end()]);
  }
}

/** One connection of the search. */
export interface Session {
  /** The id of the process that serves the session. */
  session(): Promise<number>;
  run(text: 'BEGIN' | 'COMMIT'): Promise<unknown>;
}

/**
 * Whether a pooler gives the session of an idle connection to another one. Poolers give out either the session that was
 * returned last, or the one that was returned first: two transactions that overlap and end in both orders show either.
 */
export async function changesSessions(one: Session, other: Session): Promise<boolean> {
  const [first, second] = [await one.session(), await other.session()];
  if (first === second) return true;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let more = 0; more < round; more += 1) await one.session();
    for (const order of [[one, other] as const, [other, one] as const]) {
      for (const probe of order) await probe.run('BEGIN');
      for (const probe of order) await probe.run('COMMIT');
      if ((await one.session()) !== first || (await other.session()) !== second) return true;
    }
  }
  return false;
}

/** A connection of its own, without settings: a pooler might give them to other clients. */
class Probe {
  private readonly client: pg.Client;

  constructor(database: Database) {
    this.client = new pg.Client(database.clientConfig());
    // Without a listener, the loss of an idle connection would end the process. The next statement reports it.
    this.client.on('error', () => {});
  }

  async connect(): Promise<void> {
    await this.client.connect().catch((error) => {
      throw connectError(error);
    });
  }

  /** A pooler has process ids of its own. */
  async isDirect(): Promise<boolean> {
    return (
      (this.client as unknown as { readonly processID: number | null }).processID === (await this.session())
    );
  }

  /** The id of the process that serves the session. */
  async session(): Promise<number> {
    const [row] = await this.run<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return row?.pid ?? 0;
  }

  async requireWritable(): Promise<void> {
    const [row] = await this.run<{ standby: boolean; readonly: string }>(
      `SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS readonly`,
    );
    if (row?.readonly !== 'on') return;
    throw new DatabaseUnavailable(
      row.standby
        ? 'The database is a standby, which is read-only: store.url must name the primary server.'
        : 'The database is read-only: default_transaction_read_only is on for the server, the database or the role.',
      '25006',
    );
  }

  async run<Row extends object>(text: string): Promise<Row[]> {
    try {
      return (await this.client.query(text)).rows as Row[];
    } catch (error) {
      throw statementError(error, 'probe');
    }
  }

  async end(): Promise<void> {
    await this.client.end().catch(() => {});
  }
}
