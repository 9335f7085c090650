import type { Access, Directory } from '../../../access/index.js';
import type { Clock } from '../../../base/index.js';
import type { BatchParts } from '../../../batch/index.js';
import type { DatabaseLedger } from '../ledger/ledger.js';
import type { Database } from '../postgres/database.js';
import type { NodeSession } from '../session/fenced.js';
import type { OpenCall } from './reading/open-values.js';

/** What the batches of a database need. */
export interface DatabaseBatchDependencies extends BatchParts {
  readonly database: Database;
  /** Returns the current master key, 32 bytes. */
  readonly masterKey: () => Uint8Array;
  readonly session: NodeSession;
  readonly access: Access;
  /** `update` resolves when it has every change that was committed before the call; rejects with DatabaseUnavailable. */
  readonly directory: Directory & { update(): Promise<void> };
  readonly ledger: DatabaseLedger;
  /** The clock of the cluster, see `DatabaseClock`. */
  readonly clock: Clock;
  /** Runs `openValues` on another thread. */
  open(call: OpenCall): Promise<unknown>;
}
