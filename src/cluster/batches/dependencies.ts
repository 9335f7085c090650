import type { Access, Directory } from '../../access/index.js';
import type { Clock } from '../../base/index.js';
import type { BatchReports, FileThread, LineEngines, Webhooks } from '../../batch/index.js';
import type { Database } from '../../postgres/index.js';
import type { ClusterLedger } from '../ledger/cluster-ledger.js';
import type { NodeSession } from './fenced.js';
import type { OpenCall } from './reading/open-values.js';

/** What the batches of a cluster need from the rest of the program. */
export interface ClusterBatchDependencies {
  readonly database: Database;
  /** Returns the current master key, 32 bytes. */
  readonly masterKey: () => Uint8Array;
  readonly session: NodeSession;
  readonly access: Access;
  readonly directory: Directory;
  readonly ledger: ClusterLedger;
  /** The clock of the cluster, see `ClusterClock`. */
  readonly clock: Clock;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  readonly engines: LineEngines;
  readonly files: FileThread;
  /** Runs `openValues` on another thread. */
  open(call: OpenCall): Promise<unknown>;
  readonly webhooks: Webhooks;
  readonly reports: BatchReports;
  /** Bytes of stored batches beyond which new ones are refused. May change. */
  storedBytesMax(): number;
  /** The percentage of these bytes that one workspace may take. */
  workspacePercent(): number;
  /** The currency of estimates, such as `GBP`. */
  readonly currency: string;
}
