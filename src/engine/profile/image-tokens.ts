/**
 * How a prompt's tokens hold an image: between the model's two marker tokens, one number for each of the image's own
 * tokens, below zero where no vocabulary has any. So the length of a prompt counts for the bill, the positions and the
 * context window alike, whatever it is made of.
 */
export type ImageTokens = (image: number) => Int32Array;

/** The tokens of a request's images, by their place in its list; `counts[i]` is how many image i has of its own. */
export function imageTokens({ begin, end }: ImageMarkers, counts: readonly number[]): ImageTokens {
  const made = counts.map((count, image) => Int32Array.of(begin, ...Array(count).fill(tokenOf(image)), end));
  return (image) => made[image] ?? noImages(image);
}

/** Of a prompt that has none. */
export const noImages: ImageTokens = (image) => {
  throw new RangeError(`The prompt has no image ${image}.`);
};

/** The tokens that stand before and behind every image. */
export interface ImageMarkers {
  readonly begin: number;
  readonly end: number;
}

const tokenOf = (image: number) => -1 - image;

/** Which image of its plan a token is of; -1: none, it is one of text. */
export const imageAt = (token: number) => (token < 0 ? -1 - token : -1);
