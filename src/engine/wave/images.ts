import type { Pixels } from '../addon/index.js';

/** An image of a plan, in the size in which its projector sees it. */
export interface PlanImage extends Pixels {
  /** Equal for the same pixels, and only for them. */
  readonly key: string;
}

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
