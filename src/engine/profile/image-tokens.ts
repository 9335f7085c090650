/**
 * How a list of tokens represents an image: between the model's two marker tokens, one negative number for each token of
 * the image, which no vocabulary has. So the length of a prompt is its tokens for billing, positions and the context
 * window alike.
 */
export type ImageTokens = (image: number) => Int32Array;

/** The tokens of a request's images, by index; `counts[i]`: tokens of image i without its markers. */
export function imageTokens({ begin, end }: ImageMarkers, counts: readonly number[]): ImageTokens {
  const made = counts.map((count, image) => Int32Array.of(begin, ...Array(count).fill(tokenOf(image)), end));
  return (image) => made[image] ?? noImages(image);
}

/** For prompts without images. */
export const noImages: ImageTokens = (image) => {
  throw new RangeError(`The prompt has no image ${image}.`);
};

/** The tokens before and after every image. */
export interface ImageMarkers {
  readonly begin: number;
  readonly end: number;
}

const tokenOf = (image: number) => -1 - image;

/** The index in the plan of the image that a token belongs to; -1: it is text. */
export const imageAt = (token: number) => (token < 0 ? -1 - token : -1);
