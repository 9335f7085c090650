import type { Database } from '../postgres/database.js';
import { CommitUnknown, DatabaseUnavailable } from '../postgres/database-errors.js';
import { SessionLost } from '../session/fence.js';
import { type Exchanged, type ExchangeResult, exchange } from './exchange.js';
import { wasWritten } from './write-exchange.js';

interface Waits {
  /** Waits before the next query. `failures`: how many queries have failed. */
  pause(failures: number): Promise<void>;
  /** Whether to give up after a query that failed. */
  isOver(): boolean;
  /** Called with the error of a query that failed and is repeated. */
  onError(error: unknown): void;
}

/**
 * Like `exchange`, but finds the outcome of a commit during which the connection was lost: queries the database until it
 * answers, then resolves if the exchange was written, and throws if it was not. Throws DatabaseUnavailable if `isOver`.
 */
export async function exchangeCertainly(
  database: Database,
  work: Exchanged,
  waits: Waits,
): Promise<ReadonlyMap<string, ExchangeResult>> {
  let results: ReadonlyMap<string, ExchangeResult> = new Map();
  try {
    return await exchange(database, work, (computed) => {
      results = computed;
    });
  } catch (error) {
    if (!(error instanceof CommitUnknown)) throw error;
    if (await isWritten(database, work, waits)) return results;
    throw error;
  }
}

async function isWritten(
  database: Database,
  { session, number }: Exchanged,
  { pause, isOver, onError }: Waits,
): Promise<boolean> {
  for (let failures = 1; ; failures += 1) {
    try {
      const written = await database.transaction((transaction) => wasWritten(transaction, session, number));
      if (written === null) throw new SessionLost(session);
      return written;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || isOver()) throw error;
      onError(error);
    }
    await pause(failures);
  }
}
