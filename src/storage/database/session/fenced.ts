import type { Database, Transaction } from '../postgres/database.js';
import { fence, SessionLost } from './fence.js';
import type { Session } from './session.js';

/** The session of this node as batches use it. */
export type NodeSession = Pick<Session, 'id' | 'isServing' | 'onLost' | 'lost'>;

/**
 * Runs a transaction that writes for the session `node`. Rejects with SessionLost, after a call of `lost`, if the
 * session has ended.
 */
export async function fenced<Result>(
  database: Database,
  session: Pick<Session, 'lost'>,
  node: number,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  try {
    return await database.transaction(async (transaction) => {
      await fence(transaction, node);
      return work(transaction);
    });
  } catch (error) {
    if (error instanceof SessionLost) session.lost(node);
    throw error;
  }
}
