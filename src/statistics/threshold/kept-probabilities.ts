/** Significant digits of a kept probability: those of the logits, which are 32-bit numbers. */
const DIGITS = 7;

/**
 * The probabilities of an answer with the digits that are kept of it. A fit tests kept probabilities, so that whether a new
 * answer is accepted must be decided on them too: a threshold may be one of them, and others of more digits just below it.
 *
 * @param probabilities one per option
 */
export const keptProbabilities = (probabilities: ArrayLike<number>): number[] =>
  Array.from(probabilities, (p) => Number(p.toPrecision(DIGITS)));
