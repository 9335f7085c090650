import type { Size } from './size.js';

/**
 * The size an image is stretched to before a Gemma-4 projector sees it: as many squares of `side` pixels as `tokens`
 * allow, in whole squares, near its own proportions; small images are made larger. The rule that was published with the
 * models, in its order of operations: where a side comes out even, another order rounds another way.
 *
 * @param tokens the image budget of the request (contract 2.1 `image_budget`); what is used is `gridTokens`, never more
 */
export function gridSize({ width, height }: Size, tokens: number, side: number): Size {
  const factor = Math.sqrt((tokens * side ** 2) / (height * width));
  const whole = (length: number) => Math.floor((factor * length) / side) * side;
  return { width: whole(width), height: whole(height) };
}

/** Tokens of an image of that size, its markers left out: one for every square. */
export function gridTokens({ width, height }: Size, side: number): number {
  return (width / side) * (height / side);
}
