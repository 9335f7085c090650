import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../base/index.js';
import type { Database, Transaction, TransactionOptions } from './database.js';
import { CommitUnknown, DatabaseUnavailable, StatementError } from './database-errors.js';

/** After a COMMIT without an answer, its outcome is looked up for this many milliseconds. The last look-up may end later. */
export const OUTCOME_MS_MAX = 20_000;
/** The first pause between two look-ups, in milliseconds; it doubles up to the longest. */
const PAUSE_MS = 50;
const PAUSE_MS_MAX = 1_000;

/**
 * Looks up, in a transaction of its own, whether a transaction was written whose COMMIT got no answer. Its first statement
 * must lock a row that `work` has locked or inserted: then it waits until the lost transaction has ended, and what it finds
 * is final. Returns what to answer; null if nothing was written. `result`: what `work` returned.
 */
type LookUp<Result> = (transaction: Transaction, result: Result) => Promise<Result | null>;

/** Time, for tests. */
interface Waits {
  /** In milliseconds. */
  monotonic(): number;
  wait(ms: number): Promise<void>;
}

// A command must not end while it waits, so this is not `Clock.after`.
const WAITS: Waits = { monotonic: systemClock.monotonic, wait: (ms) => sleep(ms) };

/**
 * Like `Database.transaction`, but finds out what became of a COMMIT that got no answer. Rejects with DatabaseUnavailable
 * if nothing was written; with CommitUnknown only if the database did not answer for OUTCOME_MS_MAX, or refused the look-up;
 * with what `work` or `lookUp` throws otherwise. After a failover, the answer is what the new primary has.
 */
export async function certainTransaction<Result>(
  database: Database,
  work: (transaction: Transaction) => Promise<Result>,
  lookUp: LookUp<Result>,
  options: TransactionOptions = {},
  waits: Waits = WAITS,
): Promise<Result> {
  const computed: { result: Result }[] = [];
  try {
    return await database.transaction(async (transaction) => {
      const result = await work(transaction);
      // Of the last attempt, if there were conflicts.
      computed[0] = { result };
      return result;
    }, options);
  } catch (error) {
    const [last] = computed;
    if (!(error instanceof CommitUnknown) || last === undefined) throw error;
    const attempt = () => database.transaction((transaction) => lookUp(transaction, last.result), options);
    const found = await untilAnswered(attempt, error, waits);
    if (found !== null) return found;
    throw new DatabaseUnavailable(`${error.failure} Nothing was changed.`, error.code);
  }
}

/** Repeats an attempt until the database answers it. Throws `lost` when OUTCOME_MS_MAX are over. */
async function untilAnswered<Result>(
  attempt: () => Promise<Result>,
  lost: CommitUnknown,
  { monotonic, wait }: Waits,
): Promise<Result> {
  const end = monotonic() + OUTCOME_MS_MAX;
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      // A statement that is refused tells nothing about the lost transaction.
      if (error instanceof StatementError) throw lost;
      if (!(error instanceof DatabaseUnavailable)) throw error;
    }
    const left = end - monotonic();
    if (left <= 0) throw lost;
    await wait(Math.min(PAUSE_MS * 2 ** failures, PAUSE_MS_MAX, left));
  }
}
