import { type Queryable, statement } from '../../postgres/index.js';

/** The session of this node has ended: another node has deleted its row, and returned its leases. Nothing was written. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost';

  constructor(readonly session: number) {
    super('The session of this node in the database has ended. It registers again.');
  }
}

// FOR KEY SHARE conflicts with the deletion of the row, but not with heartbeats, which change it.
const FENCE = statement('session-fence', 'SELECT 1 FROM nodes WHERE id = $1 FOR KEY SHARE');

/**
 * The first statement of every transaction that writes for a session. The session cannot end before the transaction does,
 * so its leases are valid in it. Throws SessionLost.
 */
export async function fence(transaction: Queryable, session: number): Promise<void> {
  const rows = await transaction.query(FENCE, [session]);
  if (rows.length === 0) throw new SessionLost(session);
}
