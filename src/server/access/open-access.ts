import type { Access } from '../../access/index.js';
import type { Clock } from '../../base/index.js';
import type { BatchDependencies, BatchInterface } from '../../batch/index.js';
import type { Abort } from '../../engine/index.js';
import type { Rekeyed } from '../../store/index.js';
import type { Metrics } from '../../telemetry/index.js';
import type { Administration } from '../administration/administration.js';

/** What batches need besides the place where they are stored. */
export type BatchParts = Omit<BatchDependencies, 'store' | 'sealer' | 'access' | 'clock' | 'read'>;

/** The keys, accounts and batches of a server, wherever they are stored. */
export interface OpenAccess {
  readonly access: Access;
  readonly administration: Administration;
  /** The time of everything stored. */
  readonly clock: Clock;
  /** The batch interface, not started yet. To be stopped before `close`. Call it once at most. */
  openBatches(parts: BatchParts): BatchInterface;
  /** Counts an abort for every batch line that was in progress and has no result. Resolves with how many. */
  countAbort(abort: Abort): Promise<number>;
  /** Measures what is stored, and the writes. */
  measure(metrics: Metrics): void;
  /** Resolves if something can be written; rejects with OperatorError. Changes nothing. */
  probe(): Promise<void>;
  /** What is wrong if `probe` does not settle; the subject of a sentence. */
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
