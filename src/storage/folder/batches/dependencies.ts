import type { Clock } from '../../../base/index.js';
import type { BatchParts } from '../../../batch/index.js';
import type { FolderAccess } from '../ledger/folder-access.js';
import type { Store } from '../lmdb/store.js';
import type { Sealer } from '../master-key/sealer.js';
import type { ReadCall } from './reading/reader.js';

/** What the batches of a data folder need. */
export interface FolderBatchDependencies extends BatchParts {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly access: FolderAccess;
  readonly clock: Clock;
  /** Runs `readStored` on another thread. */
  read(call: ReadCall): Promise<unknown>;
}
