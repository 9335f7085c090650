import type { Pixels } from '../addon/addon-types.js';

/** A run of tokens, or an image, in one or more sequences. */
export interface Stream {
  /** For an image, its negative numbers (see `imageTokens`). */
  readonly tokens: Int32Array;
  /** The position of the first one. */
  readonly position: number;
  /** Tokens of several sequences are computed once for all of them. */
  readonly sequences: readonly number[];
  /** Present: the last token is an answer slot, and these are its options (see `Suffix.options`). */
  readonly options?: Int32Array;
  /** Present: the stream is this image of the wave, by index. */
  readonly image?: number;
}

/** An image of a wave. */
export interface WaveImage {
  /** In shared memory; not yet computed if there are pixels. */
  readonly embedding: Float32Array;
  /** The embedding is computed from them before the first phase; null: it is already computed. */
  readonly pixels: Pixels | null;
}

/** Gives the empty sequence `to` the cells of `from`; no data moves. */
export interface Copy {
  readonly from: number;
  readonly to: number;
}

/** Removals and copies of sequences, then streams that are decoded together. */
export interface Phase {
  readonly removals: readonly number[];
  readonly copies: readonly Copy[];
  readonly streams: readonly Stream[];
}

/** What a context does in one wave. Other cells from earlier waves stay. */
export interface WaveTask {
  /** Clear the context first, so that the wave's results do not depend on earlier ones. */
  readonly clear: boolean;
  readonly images: readonly WaveImage[];
  readonly phases: readonly Phase[];
  /** Sequences to remove after the last phase. */
  readonly removals: readonly number[];
}

/** What every stream that has options asks for (see `Suffix.options`), in their order. */
export type WaveResult = readonly Float32Array[];
