/**
 * When a kind of question is claimed: the held-out and the hand-written questions must both meet this. Shares of right
 * answers; the interval is the 95 % interval of Wilson. More answers must be right than guessing gives.
 */
export const CLAIM = { accuracyMin: 0.8, lowerEndAbove: 0.7, handwrittenMin: 30 } as const;

/**
 * How unsure the model must be about the near set, requests just outside its domain. Confidences are scaled so that 0 is
 * guessing. An answer is sure above `sure`; `sureAndWrongMax` is a share of all answers.
 */
export const NEAR = { confidenceMax: 0.45, sure: 0.8, sureAndWrongMax: 0.03 } as const;

/** What a build must have before it is shipped, besides the near set. `scale` is the scale of the README. */
export const SHIPPED = {
  heldMin: 0.9,
  handwrittenMin: 0.91,
  eceMax: 0.03,
  scaleMin: 1,
  /** Bytes of the GGUF file. */
  fileMax: 12_000_000,
} as const;
