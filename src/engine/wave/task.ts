import type { Pixels } from '../addon/types.js';

/** A run of tokens, or an image, that stands in one or more sequences. */
export interface Stream {
  /** Of an image, its places. */
  readonly tokens: Int32Array;
  /** Where the first one stands. */
  readonly position: number;
  /** Tokens of several sequences are computed once for all of them. */
  readonly sequences: readonly number[];
  /** Present: the last token is an answer slot, and these are its options' tokens. */
  readonly options?: Int32Array;
  /** Present: it is this image of the wave. */
  readonly image?: number;
}

/** An image of a wave. */
export interface WaveImage {
  /** In memory that threads share; empty as long as there are pixels. */
  readonly embedding: Float32Array;
  /** What the embedding is made from before the wave's first phase; null: it is there. */
  readonly pixels: Pixels | null;
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
  readonly images: readonly WaveImage[];
  readonly phases: readonly Phase[];
  /** Sequences to forget when all is computed. */
  readonly removals: readonly number[];
}

/** The option logits of every stream that has options, in their order. */
export type WaveResult = readonly Float32Array[];
