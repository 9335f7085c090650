import type { AuditEntry } from '../../../access/index.js';
import type { RawWrite } from '../lmdb/writes.js';

/** Writes taken for a transaction. Either `written` or `lost` is called, once. */
export interface TakenChanges {
  readonly writes: readonly RawWrite[];
  /** For the audit log. */
  readonly entries?: readonly AuditEntry[];
  /** The transaction is on the disk. `today`: the UTC day. */
  written(today: string): void;
  /** The transaction failed. The next `take` must return them again. */
  lost(): void;
}

/** A source of writes that join the ledger's transactions. */
export interface LedgerPart {
  /** Returns all changes since the last call. */
  take(): TakenChanges;
}
