import type { Access } from '../access/index.js';
import type { Clock } from '../base/index.js';
import type { BatchInterface, BatchParts } from '../batch/index.js';
import type { Abort } from '../engine/index.js';
import type { TaskStore } from '../tasks/index.js';
import type { Log, Metrics } from '../telemetry/index.js';
import type { AdministrationThread } from './administration/administration-thread.js';

/** The result of a change of the master key. */
export interface Rekeyed {
  /** Data keys that are now encrypted with the new key; null if an earlier run had done so. */
  readonly dataKeys: number | null;
  /** The file with the key of earlier backups; null if the key is configured. */
  readonly earlier: string | null;
}

/** What a storage takes from the server. */
export interface StorageDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly report: {
    notice(sentence: string): void;
    /** The token of the key that the first start creates. It is stored nowhere. */
    token(token: string): void;
  };
}

/** Credit of the workspace that the first start creates, in units of the currency. */
export const FIRST_CREDIT = '100';

/** The keys, accounts and batches of a server, wherever they are stored. */
export interface Storage {
  readonly access: Access;
  readonly tasks: TaskStore;
  readonly administration: AdministrationThread;
  /** The time of everything stored. */
  readonly clock: Clock;
  /**
   * On the first start, creates a workspace with credit and a key, and reports its token once. Call it when nothing can
   * prevent the start any more: the token is not shown again. Rejects with OperatorError.
   */
  createFirstKey(): Promise<void>;
  /** The batch interface, not started yet. To be stopped before `close`. Call it once at most. */
  openBatches(parts: BatchParts): BatchInterface;
  /** Counts an abort for every batch line that was in progress and has no result. Resolves with how many. */
  countAbort(abort: Abort): Promise<number>;
  /** Measures what is stored, and the writes. */
  measure(metrics: Metrics): void;
  /** Resolves if something can be written; rejects with OperatorError. Changes nothing. */
  probe(): Promise<void>;
  /** Name of what `probe` writes to, such as `The data folder`. */
  readonly place: string;
  /** Why requests cannot be answered, apart from `probe`; empty if they can. */
  unreadyReasons(): readonly string[];
  /** `store` in the JSON of `GET /status`. */
  status(): object;
  /**
   * Checks the configured master key. The returned function, to be called in the same turn of the event loop, records that
   * it is configured, and never throws. Throws OperatorError.
   */
  prepareMasterKey(given: string): () => void;
  /** Changes the master key while requests are answered. One change at a time. Rejects with OperatorError. */
  rekey(newKeyFile: string | null): Promise<Rekeyed>;
  /** Writes the charges and releases what is open. */
  close(): Promise<void>;
}
