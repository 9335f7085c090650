import type { Transaction } from '../../postgres/index.js';

/** Changes that a transaction of the ledger writes. Either `written` or `lost` is called, once. */
export interface TakenChanges {
  write(transaction: Transaction): Promise<void>;
  written(): void;
  /** Nothing was written. The next `take` must return the changes again, unless the session has ended. */
  lost(): void;
}

/** A source of changes that join the ledger's transactions. */
export interface LedgerPart {
  /** All changes since the last call; null: there are none. */
  take(): TakenChanges | null;
}
