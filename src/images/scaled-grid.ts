import { LIMITS } from '../api/index.js';
import { gridSize, type Size } from './pixels.js';

/** How many pixels the model's rule of scaling was published for: it keeps the longer side within the longest of the model. */
const PROPORTION_MAX = LIMITS.imageSidePixelsMax / LIMITS.imageSidePixelsMin;

/**
 * The size to which an image of any size is resized. Up to the flattest proportion of contract 8 that is `gridSize`. Flatter
 * images get as many squares on the shorter side as the budget and the longest side of the model allow, at least one.
 *
 * @param longest squares of the longest side that the model can read
 */
export function scaledGridSize(size: Size, tokens: number, side: number, longest: number): Size {
  const { width, height } = size;
  const proportion = Math.max(width, height) / Math.min(width, height);
  if (proportion <= PROPORTION_MAX) return gridSize(size, tokens, side);
  const across = Math.max(1, Math.round(Math.min(Math.sqrt(tokens / proportion), longest / proportion)));
  const along = Math.min(longest, Math.floor(tokens / across), Math.round(across * proportion));
  const [long, short] = [along * side, across * side];
  return width > height ? { width: long, height: short } : { width: short, height: long };
}
