import type { PlanImage } from '../wave/wave-images.js';
import { planCells, type WaveBounds } from '../wave/wave-types.js';
import { noEmbeddings } from './embeddings.js';
import { fixedBudget, type IdleBudget } from './idle-budget.js';
import { KvCache } from './kv-cache.js';
import type { Entry } from './scheduler-types.js';

/**
 * Prefix tokens × sequences up to which a chunk of a prefix also carries the sequences of the suffixes behind it, so
 * that all of them go in one decode. Above it the suffixes follow in a second decode, on copies: llama.cpp's bookkeeping
 * per token and sequence then costs more than a second pass over the weights. `npm run bench:forms` measures it.
 */
export const COUPLED_PRODUCT_MAX = 8_192;

/** How waves share work. */
export interface Sharing {
  /** Tokens that every prompt begins with: computed once, then copied by reference. */
  readonly head: Int32Array;
  /** Maximum number of cells of prefixes that are kept for later requests. */
  readonly idleCellsMax: number;
  /** Each plan runs alone, from an empty cache, in chunks that depend on nothing but the plan. */
  readonly exact: boolean;
  /** `COUPLED_PRODUCT_MAX`, except in tests and benchmarks. */
  readonly coupledProductMax: number;
}

/** Exact mode. */
export const EXACT: Sharing = {
  head: new Int32Array(0),
  idleCellsMax: 0,
  exact: true,
  coupledProductMax: COUPLED_PRODUCT_MAX,
};

/** The scheduler's state of one context. */
export class ContextState<E extends Entry> {
  readonly cache: KvCache<E>;
  readonly budget: IdleBudget;
  /** Consecutive waves in which batch plans waited and got nothing. Kept by the scheduler. */
  wavesWithoutBatch = 0;
  /** Exact mode: waves that batch plans are owed; negative if they had more than their share. Kept by the scheduler. */
  batchBalance = 0;
  /** Waves since the last one with a live plan. Kept by the scheduler. */
  wavesSinceLive = Number.POSITIVE_INFINITY;
  /** Tokens of the wave in progress, 0 if there is none. Set by the code that runs the waves. */
  computing = 0;
  /** Whether the last wave was one of a single plan that runs alone. Kept by the scheduler. */
  wasAlone = false;
  /** The context may have cells that are not in the cache: its next wave clears it. */
  private isLost = false;

  constructor(
    readonly bounds: WaveBounds,
    readonly sharing: Sharing,
    readonly embeddings = noEmbeddings(),
    /** Budget of idle prefixes; by default, always the most. Unused in exact mode. */
    budget: IdleBudget = fixedBudget(sharing.idleCellsMax),
  ) {
    this.budget = sharing.exact ? fixedBudget(0) : budget;
    const { head } = sharing.exact ? EXACT : sharing;
    this.cache = new KvCache(bounds, { head, budget: this.budget });
  }

  /** Forgets everything that the context holds: after a failed wave. */
  lose(): void {
    this.cache.reset();
    this.computing = 0;
    this.isLost = true;
  }

  /** Whether the wave that has been filled must clear the context first. Call it once per wave. */
  takeLost(): boolean {
    const { isLost } = this;
    this.isLost = false;
    return isLost;
  }

  /** Tokens that a waiting plan takes of this context's waves. */
  remaining({ plan }: Entry): number {
    const encoding = plan.images.reduce((sum, image) => sum + this.encodeTokens(image), 0);
    return planCells(plan) + encoding - this.cache.cachedTokens(plan);
  }

  /** What encoding an image takes of a wave. In exact mode 0: how a plan is cut must not depend on a cache. */
  encodeTokens(image: PlanImage): number {
    return this.sharing.exact ? 0 : this.embeddings.encodeTokens(image);
  }
}
