import type { WaveResult, WaveTask } from './task.js';
import { LABEL_MASS } from './wave-types.js';

/** Why a file, or what a device has computed, is refused. */
const NOT_NUMBERS =
  'its output is not a number; its weights or metadata are damaged, or the device computes wrongly';

/** Whether a wave failed with the error that these checks throw, which loses its class between threads. */
export const isNotNumbers = (error: unknown): boolean =>
  error instanceof Error && error.message === NOT_NUMBERS;

/** Largest value of an embedding: the squares of larger ones overflow, and a norm then turns them into zeros. */
const EMBEDDING_MAX = 1e18;

/** Throws an Error if a logit of an option is not finite. */
export function requireLogits({ phases }: WaveTask, results: WaveResult): void {
  const options = phases.flatMap(({ streams }) => streams.flatMap((stream) => stream.options ?? []));
  const areUsable = (values: Float32Array, index: number) =>
    values.every((value, at) => Number.isFinite(value) || options[index]?.[at] === LABEL_MASS);
  if (!results.every(areUsable)) throw new Error(NOT_NUMBERS);
}

/** Throws an Error if a number of an embedding is unusable. llama.cpp's clamps turn NaN into the largest float. */
export function requireEmbedding(embedding: Float32Array): void {
  // An image has up to 1.5 million numbers: a callback for each would take as long as a decode on a GPU.
  for (let at = 0; at < embedding.length; at++) {
    if (!(Math.abs(embedding[at] as number) < EMBEDDING_MAX)) throw new Error(NOT_NUMBERS);
  }
}
