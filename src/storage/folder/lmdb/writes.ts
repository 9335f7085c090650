import type { AuditEntry } from '../../../access/index.js';
import type { TableName } from './tables.js';

/** One change of a table. A null value removes the key. */
export interface RawWrite {
  readonly table: TableName;
  readonly key: Uint8Array;
  /** With a null value: removes all keys from `key` up to, not including, this one. */
  readonly end?: Uint8Array;
  readonly value: Uint8Array | null;
}

/** What one transaction writes. */
export interface WriterTask {
  readonly writes: readonly RawWrite[];
  /** For the audit log. */
  readonly entries: readonly AuditEntry[];
}
