import { IMAGE_BUDGETS } from '../../api/index.js';
import type { WaveTask } from './task.js';
import type { WaveBounds } from './wave-types.js';

/** What the waves of a warm-up are made for. */
export interface WarmUp {
  readonly bounds: WaveBounds;
  /** '' is the CPU. */
  readonly device: string;
  /** Tokens of the model's vocabulary. */
  readonly vocabularySize: number;
  /** Pixels per side of an image of one token, and the length of its embedding; null: the model reads no images. */
  readonly images: { readonly side: number; readonly width: number } | null;
}

/**
 * Tokens of further waves on a GPU: its backends have other kernels for few tokens, which they load or compile at their
 * first use.
 */
const SMALL_WAVES_TOKENS = [64, 8, 1] as const;
/** A CPU compiles nothing, and llama.cpp has allocated its buffers by then: these tokens only bring pages into memory. */
const CPU_TOKENS = 64;

/**
 * The waves that a context computes before its first client's, so that the memory that a backend allocates at the first
 * use, kernels that it loads and shaders that it compiles delay no request, and end no process later. On a GPU: a wave of
 * the largest size over all sequences, one with the largest image, and small ones. On a CPU: one small wave. The context
 * has to be cleared afterwards.
 */
export function warmUpWaves({ bounds, device, vocabularySize, images }: WarmUp): WaveTask[] {
  const text = (tokens: number) => textWave(Math.min(tokens, bounds.cells), bounds.sequences, vocabularySize);
  if (device === '') return [text(Math.min(CPU_TOKENS, bounds.waveTokens))];
  const image = images === null ? [] : [imageWave(images)];
  return [text(bounds.waveTokens), ...image, ...SMALL_WAVES_TOKENS.map(text)];
}

/** A wave of `tokens` tokens, over as many sequences as it can have, each with an answer slot. */
function textWave(tokens: number, sequencesMax: number, vocabularySize: number): WaveTask {
  const sequences = Math.min(sequencesMax, tokens);
  const streams = Array.from({ length: sequences }, (_, sequence) => {
    const start = Math.floor((tokens * sequence) / sequences);
    const end = Math.floor((tokens * (sequence + 1)) / sequences);
    // Different ones, so that a mixture of experts uses many.
    const list = Int32Array.from({ length: end - start }, (_, at) => (start + at) % vocabularySize);
    return { tokens: list, position: 0, sequences: [sequence], options: Int32Array.of(0) };
  });
  return { clear: true, images: [], phases: [{ removals: [], copies: [], streams }], removals: [] };
}

/** A wave with the largest image that a request can have, between two tokens of text. */
function imageWave({ side, width }: NonNullable<WarmUp['images']>): WaveTask {
  const tokens = Math.max(...IMAGE_BUDGETS);
  const rows = rowsOf(tokens);
  const [pixelsWide, pixelsHigh] = [(tokens / rows) * side, rows * side];
  const pixels = {
    width: pixelsWide,
    height: pixelsHigh,
    rgb: new Uint8Array(3 * pixelsWide * pixelsHigh),
  };
  const text = (position: number) => ({ tokens: Int32Array.of(0), position, sequences: [0] });
  const streams = [
    text(0),
    { tokens: new Int32Array(tokens).fill(-1), position: 1, sequences: [0], image: 0 },
    { ...text(tokens + 1), options: Int32Array.of(0) },
  ];
  return {
    clear: true,
    images: [{ embedding: new Float32Array(tokens * width), pixels }],
    phases: [{ removals: [], copies: [], streams }],
    removals: [],
  };
}

/** The height of the rectangle of `tokens` tokens that is closest to a square. */
function rowsOf(tokens: number): number {
  let rows = Math.floor(Math.sqrt(tokens));
  while (tokens % rows !== 0) rows -= 1;
  return rows;
}
