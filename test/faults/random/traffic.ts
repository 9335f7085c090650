import type { ClusterNode } from '../../support/faults/cluster.js';
import type { Random } from '../../support/random.js';
import type { Journal } from './journal.js';
import type { Reference } from './references.js';

/** What the clients of a campaign share. */
export interface Traffic {
  readonly nodes: readonly ClusterNode[];
  /** Statuses of live requests besides 200. */
  readonly refusals: readonly number[];
  readonly references: readonly Reference[];
  readonly journal: Journal;
  readonly next: Random;
  /** The workspaces that both live requests and batches use. */
  readonly workspaces: readonly string[];
}

/** One of the entries; undefined if there is none. */
export const pick = <Entry>(next: Random, entries: readonly Entry[]): Entry | undefined =>
  entries[next.integer(Math.max(1, entries.length))];
