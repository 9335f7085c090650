import type { Plan } from '../wave/index.js';
import type { CachedPrefix } from './prefix-cache.js';

/** What a plan waits as: the scheduler looks at the plan, and at whether it is still wanted. */
export interface Entry {
  readonly plan: Plan;
  /** The owner no longer wants the answer. */
  readonly dropped: boolean;
}

/** A plan on a context, possibly spread over several waves. */
export interface Running<E extends Entry> {
  readonly entry: E;
  readonly prefix: CachedPrefix;
  /** The first suffix that is in no wave yet. */
  nextSuffix: number;
  readonly logits: Float32Array[];
}
