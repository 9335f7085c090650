import { CommitUnknown, type Database, DatabaseUnavailable } from '../../postgres/index.js';
import { SessionLost } from '../session/fence.js';
import { type Exchanged, type ExchangeResult, exchange } from './exchange.js';
import { wasWritten } from './write-exchange.js';

interface Waits {
  /** Waits before the database is asked again. `failures`: how often it did not answer. */
  pause(failures: number): Promise<void>;
  /** Whether to stop asking. */
  isOver(): boolean;
  /** Called with the error when the database does not answer. It is asked again. */
  onError(error: unknown): void;
}

/**
 * Like `exchange`, and finds out what became of a commit during which the connection was lost: it resolves if the exchange
 * was written, and throws only if it was not. Until the database answers, it does neither.
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
