import { type Plan, planCells, type WaveBounds } from '../wave/index.js';
import { type HeldPrefix, HeldPrefixes, Sequences } from './held.js';

/** What a plan waits as: the dispatcher looks at the plan, and at whether it is still wanted. */
export interface Entry {
  readonly plan: Plan;
  /** The owner no longer wants the answer. */
  readonly dropped: boolean;
}

/** A plan on a context, possibly spread over several waves. */
export interface Running<E extends Entry> {
  readonly entry: E;
  readonly prefix: HeldPrefix;
  /** The first leaf that is in no wave yet. */
  nextLeaf: number;
  readonly logits: Float32Array[];
}

/**
 * Prefix tokens × sequences up to which a chunk of a prefix carries the sequences of the leaves behind it, so
 * that all go in one decode. Past it the leaves follow in a second decode, on copies: llama.cpp's bookkeeping
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

/** One context as the dispatcher sees it: which prefixes it holds, which plans run on it. */
export class ContextState<E extends Entry> {
  /** Oldest first. */
  running: Array<Running<E>> = [];
  sequences!: Sequences;
  held!: HeldPrefixes;
  wave = 0;

  constructor(
    readonly bounds: WaveBounds,
    readonly sharing: Sharing,
  ) {
    this.reset();
  }

  /** Forgets everything, as the context itself has: after a failed wave, or before an exact plan. */
  reset(): void {
    const { bounds, sharing } = this;
    this.running = [];
    this.sequences = new Sequences(bounds.sequences);
    this.held = new HeldPrefixes(bounds, this.sequences, sharing.exact ? 0 : sharing.idleCellsMax);
  }

  /** Tokens a plan still needs on this context. */
  remaining({ plan }: Entry): number {
    const held = this.held.find(plan.prefixKey);
    const done = held?.done ?? (this.startsWithHead(plan.prefix) ? this.sharing.head.length : 0);
    return planCells(plan) - done;
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
