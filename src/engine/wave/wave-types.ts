import type { ContextOptions } from '../addon/addon-types.js';
import type { PlanImage } from './wave-images.js';

/**
 * As the last of a suffix's options: asks for the label mass, the probability that the model gives to the labels of the
 * options together, among all tokens of its vocabulary and at temperature 1. Its natural logarithm then follows the
 * logits, at most 0; NaN if a logit of the vocabulary is NaN or infinite.
 */
export const LABEL_MASS = -1;

/** The tokens of one question, up to the answer position. */
export interface Suffix {
  /** The last one is the answer slot. */
  readonly tokens: Int32Array;
  /** The tokens of the options' labels, in the order of the question's options, and `LABEL_MASS` if it is wanted. */
  readonly options: Int32Array;
}

/**
 * What the engine computes for one request: the shared prefix once, then one suffix per question. Images are
 * represented in lists of tokens as `imageTokens` writes them, so a list's length is its number of cells and positions.
 */
export interface Plan {
  readonly prefix: Int32Array;
  /** Equal only for equal prefixes of one model; in an engine, of one workspace (see `withWorkspace`). */
  readonly prefixKey: string;
  readonly suffixes: readonly Suffix[];
  /** Without duplicates. */
  readonly images: readonly PlanImage[];
}

/** Per suffix, in the order of the plan: the logits of its options, and the logarithm of the label mass if it is wanted. */
export type PlanLogits = readonly Float32Array[];

/** The bounds a wave is built against. */
export interface WaveBounds {
  /** KV cells, shared by every sequence of a context. */
  readonly cells: number;
  /** Maximum number of tokens of a wave. */
  readonly waveTokens: number;
  /** Maximum number of tokens of one decode, which are computed at once. */
  readonly microBatchTokens: number;
  /**
   * Minimum tokens of a micro-batch; a smaller one is padded with unused tokens. 64 on a CPU: ggml computes the
   * attention of fewer rows by another path, which sums in 16 bits. On the tiny F32 model the probabilities of a question
   * of 20 to 80 tokens after 3,000 moved by 3.5e-3 between the two paths, and by 1e-4 within this one.
   */
  readonly microBatchTokensMin: number;
  /** Maximum number of sequences of a context: one per cached prefix and one per suffix of a wave. */
  readonly sequences: number;
}

/** The KV cells a plan takes with all its suffixes. */
export function planCells(plan: Plan): number {
  return plan.suffixes.reduce((sum, suffix) => sum + suffix.tokens.length, plan.prefix.length);
}

/** The tokens of a plan's longest suffix. */
export function longestSuffix(plan: Plan): number {
  return Math.max(...plan.suffixes.map((suffix) => suffix.tokens.length));
}

/** The tokens of a plan's longest prompt. */
export function longestPrompt(plan: Plan): number {
  return plan.prefix.length + longestSuffix(plan);
}

/**
 * The options of a context for waves of these bounds: one more sequence and more cells for padding, and room for the
 * logits of every sequence (llama.cpp aborts if a context has fewer outputs than sequences).
 */
export function contextOptions(bounds: WaveBounds, threads: number): ContextOptions {
  const { cells, microBatchTokens, microBatchTokensMin, sequences } = bounds;
  return {
    cells: cells + microBatchTokensMin,
    batchTokens: microBatchTokens,
    microBatchTokens,
    sequences: sequences + 1,
    outputs: sequences + 1,
    threads,
  };
}
