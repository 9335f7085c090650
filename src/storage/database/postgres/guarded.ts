import type { Database, Transaction } from './database.js';
import { guardFormat } from './schema/format.js';

/** Runs a transaction of a node that its session does not protect from a migration: see `guardFormat`. */
export const guarded = <Result>(
  database: Database,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> =>
  database.transaction(async (transaction) => {
    await guardFormat(transaction);
    return work(transaction);
  });
