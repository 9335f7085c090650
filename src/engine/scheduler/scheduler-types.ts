import type { PlanImage } from '../wave/wave-images.js';
import type { Plan, Suffix } from '../wave/wave-types.js';

/** A plan in the scheduler. */
export interface Entry {
  readonly plan: Plan;
  /** The caller no longer wants the answer. */
  readonly dropped: boolean;
  /** A wave with the plan has failed: it is computed in waves of its own. */
  readonly alone?: boolean;
  /** An equal plan is being computed, whose answer this one gets too. Exact mode leaves it out meanwhile. */
  readonly waits?: boolean;
}

/** A prefix that has cells of a context. */
export interface CachedPrefix {
  readonly key: string;
  readonly tokens: Int32Array;
  /** The images whose places are among the tokens; empty once the prefix is complete, so that pixels are not kept. */
  readonly images: readonly PlanImage[];
  readonly sequence: number;
  /** Tokens that are computed, or that the wave being filled computes. */
  readonly done: number;
}

/** The prefixes of the plans that a wave admits. */
export interface PrefixCounts {
  /** In the cache, or computed for another plan. */
  readonly hits: number;
  readonly misses: number;
}

/** A plan on a context, from its admission to the wave in which its last suffix ends. */
export interface Running<E extends Entry> {
  readonly entry: E;
  readonly prefix: CachedPrefix;
  /** The first suffix that is in no wave yet. */
  readonly nextSuffix: number;
  /** Tokens of its prefix that were in the cache, or computed for another plan, when it was admitted. */
  readonly cachedTokens: number;
  /** By suffix; written when a wave is settled. */
  readonly logits: Float32Array[];
}

/** The suffixes that one stream answers: equal suffixes of one prefix are computed once. */
export type Answered<E extends Entry> = Array<{ readonly running: Running<E>; readonly suffix: number }>;

/** A suffix that has cells of a context: a wave has computed a part of it, or the wave being filled does. */
export interface PartialPrefill<E extends Entry> {
  readonly suffix: Suffix;
  /** The images whose places are among the suffix's tokens. */
  readonly images: readonly PlanImage[];
  readonly sequence: number;
  readonly answered: Readonly<Answered<E>>;
  /** Tokens that are computed, or that the wave being filled computes. */
  readonly done: number;
}
