import type { Pixels } from '../addon/index.js';

/** An image of a plan, in the size in which its projector sees it. */
export interface PlanImage extends Pixels {
  /** Equal for the same pixels, and only for them. */
  readonly key: string;
}

/** Which image of the plan stands at a place; -1: none, it is a token. */
export const imageAt = (place: number) => (place < 0 ? -1 - place : -1);

/** Where the run of equal places that begins at `start` ends: behind the tokens of an image. */
export function runEnd(tokens: Int32Array, start: number): number {
  let end = start;
  while (end < tokens.length && tokens[end] === tokens[start]) end += 1;
  return end;
}

/** Where the text that begins at `start` ends: before the next image. */
export function textEnd(tokens: Int32Array, start: number, until = tokens.length): number {
  let end = start;
  while (end < until && (tokens[end] as number) >= 0) end += 1;
  return end;
}
