/** A run of tokens that stand behind each other in one or more sequences. */
export interface Stream {
  readonly tokens: Int32Array;
  /** Where the first one stands. */
  readonly position: number;
  /** Tokens of several sequences are computed once for all of them. */
  readonly sequences: readonly number[];
  /** Present: the last token is an answer slot, and these are its options' tokens. */
  readonly options?: Int32Array;
}

/** Sequence `to`, which is empty, gets the cells of `from`; no data moves. */
export interface Copy {
  readonly from: number;
  readonly to: number;
}

/** Streams that are decoded together, after the copies and removals they need. */
export interface Phase {
  readonly removals: readonly number[];
  readonly copies: readonly Copy[];
  readonly streams: readonly Stream[];
}

/** What a context does in one wave; what it holds besides, from earlier waves, stays. */
export interface WaveTask {
  /** Forget everything first: the wave's numbers then depend on nothing before it. */
  readonly clear: boolean;
  readonly phases: readonly Phase[];
  /** Sequences to forget when all is computed. */
  readonly removals: readonly number[];
}

/** The option logits of every stream that has options, in their order. */
export type WaveResult = readonly Float32Array[];
