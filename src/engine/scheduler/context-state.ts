import { longestSuffix, type PlanImage, planCells, type WaveBounds } from '../wave/index.js';
import { noEmbeddings } from './embeddings.js';
import { PartialPrefills } from './partial-prefills.js';
import { PrefixCache, Sequences } from './prefix-cache.js';
import type { Entry, Running } from './running.js';

/**
 * Prefix tokens × sequences up to which a chunk of a prefix carries the sequences of the suffixes behind it, so
 * that all go in one decode. Past it the suffixes follow in a second decode, on copies: llama.cpp's bookkeeping
 * per token and sequence then costs more than one pass over the weights less. `npm run bench:forms` measures.
 */
export const COUPLED_PRODUCT_MAX = 8_192;

/** How waves share work. */
export interface Sharing {
  /** Tokens every prompt begins with: computed once, and shared by reference. */
  readonly head: Int32Array;
  /** Most cells of prefixes that are kept for requests to come. */
  readonly idleCellsMax: number;
  /** A request's numbers depend on nothing but itself: it is alone in its waves, and the first starts empty. */
  readonly exact: boolean;
  /** `COUPLED_PRODUCT_MAX`, but for tests and benchmarks. */
  readonly coupledProductMax: number;
}

/** Every request cold and alone: exact mode. */
export const EXACT: Sharing = {
  head: new Int32Array(0),
  idleCellsMax: 0,
  exact: true,
  coupledProductMax: COUPLED_PRODUCT_MAX,
};

/** The key of the head among the prefixes that a context holds. */
export const HEAD_KEY = 'head';

/** One context as the scheduler sees it: which prefixes and partial suffixes it holds, which plans run on it. */
export class ContextState<E extends Entry> {
  /** Oldest first. */
  running: Array<Running<E>> = [];
  sequences!: Sequences;
  prefixes!: PrefixCache;
  partials!: PartialPrefills<E>;
  /** Sequences that are free, but have to be removed before the next wave uses them. */
  removals: number[] = [];
  wave = 0;
  /** Waves in a row that gave batch plans nothing, while some waited for it. */
  wavesWithoutBatch = 0;
  /** Waves since the last one with a live plan. */
  wavesSinceLive = Number.POSITIVE_INFINITY;

  constructor(
    readonly bounds: WaveBounds,
    readonly sharing: Sharing,
    readonly embeddings = noEmbeddings(),
  ) {
    this.reset();
  }

  /** Forgets everything, as the context itself has: after a failed wave, or before an exact plan. */
  reset(): void {
    const { bounds, sharing } = this;
    this.running = [];
    this.removals = [];
    this.sequences = new Sequences(bounds.sequences);
    this.prefixes = new PrefixCache(bounds, this.sequences, sharing.exact ? 0 : sharing.idleCellsMax);
    this.partials = new PartialPrefills(this.sequences);
  }

  /** Plans that nobody waits for any more leave, and with them what nobody else needs. */
  release(): void {
    for (const { entry, prefix } of this.running) if (entry.dropped) prefix.users -= 1;
    this.running = this.running.filter(({ entry }) => !entry.dropped);
    this.removals.push(...this.partials.release().map(({ sequence }) => sequence));
  }

  /** Tokens a plan that waits needs on this context. */
  remaining({ plan }: Entry): number {
    const head = this.startsWithHead(plan.prefix) ? this.prefixes.find(HEAD_KEY) : undefined;
    const encoding = plan.images.reduce((sum, image) => sum + this.encodeTokens(image), 0);
    return planCells(plan) + encoding - ((this.prefixes.find(plan.prefixKey) ?? head)?.done ?? 0);
  }

  /** What encoding an image takes of a wave. In exact mode nothing: what is cut where must not depend on a cache. */
  encodeTokens(image: PlanImage): number {
    return this.sharing.exact ? 0 : this.embeddings.encodeTokens(image);
  }

  /** Tokens of a running plan that are in no wave yet. */
  remainingOf(running: Running<E>): number {
    const { prefix, nextSuffix, entry } = running;
    const partial = this.partials.of(running).map(({ suffix, done }) => suffix.tokens.length - done);
    const suffixes = entry.plan.suffixes.slice(nextSuffix).map(({ tokens }) => tokens.length);
    return [...partial, ...suffixes].reduce(
      (sum, tokens) => sum + tokens,
      prefix.tokens.length - prefix.done,
    );
  }

  /** Cells that have to be free for suffixes where a plan joins those that run. */
  suffixRoom({ plan }: Entry): number {
    return Math.max(
      this.partials.cells,
      longestSuffix(plan),
      ...this.running.map(({ entry }) => longestSuffix(entry.plan)),
    );
  }

  /** Cells for all suffixes of a plan, and for the longest that those that run have not started. */
  wholeRoom({ plan }: Entry): number {
    const next = this.running.flatMap(({ entry, nextSuffix }) => entry.plan.suffixes.slice(nextSuffix));
    const longest = Math.max(0, ...next.map(({ tokens }) => tokens.length));
    return planCells(plan) - plan.prefix.length + this.partials.cells + longest;
  }

  /** Whether a prefix can be built on the head's cells. */
  startsWithHead(prefix: Int32Array): boolean {
    const { head, exact } = this.sharing;
    return (
      !exact &&
      head.length > 0 &&
      prefix.length > head.length &&
      head.every((token, i) => prefix[i] === token)
    );
  }
}
