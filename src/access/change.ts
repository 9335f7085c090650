import type { AuditRecord } from './audit.js';
import type { Key } from './keys.js';
import type { Amount } from './money.js';
import type { Workspace } from './workspaces.js';

/** What is stored of a batch, as far as its erasure is concerned. */
export interface StoredBatch {
  readonly id: string;
  readonly workspace: string;
  readonly key: string;
  /** One of `BATCH_STATES`. */
  readonly state: string;
  /** Its data key is deleted. */
  readonly deleted: boolean;
}

/**
 * What is stored under the ids that a change names; undefined if there is nothing, or if it names none. `workspace` is that
 * of the key if the change names a key only.
 */
export interface Stored {
  readonly workspace: Workspace | undefined;
  readonly key: Key | undefined;
  readonly batch?: StoredBatch | undefined;
}

/** What a change writes, in one transaction, and its result. */
export interface Decision<Result> {
  readonly result: Result;
  /** Is added, or replaces the one with the same id. */
  readonly workspace?: Workspace;
  /** Are added, or replace those with the same ids. */
  readonly keys?: readonly Key[];
  /** A grant of credit to `workspace`; a negative amount takes it back. */
  readonly grant?: Amount;
  /** The id of a batch that is erased. */
  readonly erased?: string;
  /** For the audit log; absent: nothing has changed. */
  readonly record?: AuditRecord;
}

/**
 * An administrative change, by the rules of both storages: each reads what the change names, lets it decide, and writes the
 * decision, all in one transaction.
 */
export interface Change<Result> {
  /** The id of the workspace that it is about. */
  readonly workspace?: string;
  /** The id of the key that it is about. Its workspace is read with it. */
  readonly key?: string;
  /** The id of the batch that it is about. */
  readonly batch?: string;
  /** `now`: milliseconds since 1970. Throws AccessError if the change is refused. */
  decide(stored: Stored, now: number): Decision<Result>;
}
