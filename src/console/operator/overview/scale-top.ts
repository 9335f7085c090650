/** The steps of a scale in a power of ten. */
const STEPS = [1, 2, 5, 10] as const;

/** The top of a scale of bytes: a power of two. */
export const bytesTop = (most: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, most)));

/** The top of a scale for values up to `most`: a round number, so that it seldom changes. */
export function scaleTop(most: number): number {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return power * (STEPS.find((step) => most <= step * power * (1 + 1e-9)) ?? 10);
}
