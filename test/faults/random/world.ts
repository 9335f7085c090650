import type { ClusterNode } from '../../support/faults/cluster.js';
import type { Random } from '../../support/random.js';

/** What a fault has affected. */
export interface Effect {
  /** Null: all nodes. */
  readonly node: string | null;
  /** What was committed since may be lost, though it was acknowledged; `performance.now`. */
  readonly lostSince?: number;
}

export interface Fault {
  readonly name: string;
  /** Faults of one scope are not caused at the same time. */
  readonly scope: 'node' | 'database';
  /** Whether acknowledged changes may be lost. */
  readonly loses?: boolean;
  /** How often it is chosen, relative to the others. */
  readonly weight: number;
  /** Causes it, and resolves when it is over. */
  cause(next: Random): Promise<Effect>;
}

/** Servers under test, and the faults that can be caused. */
export interface World {
  readonly nodes: readonly ClusterNode[];
  readonly faults: readonly Fault[];
  /** Statuses of live requests besides 200. */
  readonly refusals: readonly number[];
  /** The token of the key of the first start. */
  readonly token: string;
  /** Resolves when the sessions of processes that have ended are gone. */
  settled(): Promise<void>;
  /** What is wrong with the stored data now; run at intervals. Empty also if they cannot be read at the moment. */
  look(): Promise<readonly string[]>;
  /** What is wrong with the stored data after all servers have stopped. */
  verify(): Promise<readonly string[]>;
}
