import type { Transaction } from '../postgres/database.js';

/**
 * Changes taken for a transaction. `write` may be called several times; then either `written` or `lost`, once. After the
 * session was lost, neither is called.
 */
export interface TakenChanges {
  /** Writes the changes. It may be undone and called again, so it must change nothing but the database. */
  write(transaction: Transaction): Promise<void>;
  /** The transaction is committed. */
  written(): void;
  /** The transaction failed. The next `take` must return its changes again. */
  lost(): void;
}

/**
 * A source of changes that join the ledger's transactions, so that they are written together with the charges of the same
 * turn of the event loop. When the session is lost (`Session.onLost`), it must drop its changes, including those taken.
 */
export interface LedgerPart {
  /** Returns all changes since the last call; null if there are none. */
  take(): TakenChanges | null;
}
