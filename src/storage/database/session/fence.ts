import { isOutage } from '../postgres/database-errors.js';
import { type Queryable, statement } from '../postgres/statement.js';

/** The session of this node has ended, and its leases return. Nothing was written. `cause`: a SessionDefect, if it was one. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost';

  constructor(
    readonly session: number,
    options?: ErrorOptions,
  ) {
    super('The session of this node in the database has ended. It registers again.', options);
  }
}

/** Whether the session of the node reports an error: its own end, or an outage of the database. */
export const isOfSession = (error: unknown): boolean => isOutage(error) || error instanceof SessionLost;

// FOR KEY SHARE conflicts with the deletion of the row, but not with heartbeats, which change it.
const FENCE = statement('session-fence', 'SELECT flushed FROM nodes WHERE id = $1 FOR KEY SHARE');

/**
 * The first statement of every transaction that writes for a session. The session cannot end before the transaction does,
 * so its leases are valid in it. Returns the number of the last exchange of the session that the database has. Throws
 * SessionLost.
 */
export async function fence(transaction: Queryable, session: number): Promise<number> {
  const [row] = await transaction.query<{ flushed: number }>(FENCE, [session]);
  if (row === undefined) throw new SessionLost(session);
  return row.flushed;
}
