/**
 * What a client computes from the probabilities it received, by the textbook formulas in floating point: an
 * implementation of its own, to hold the answers against.
 */

export function indexOfLargest(p: readonly number[]): number {
  let best = 0;
  p.forEach((value, index) => {
    if (value > (p[best] as number)) best = index;
  });
  return best;
}

export function choiceConfidence(p: readonly number[]): number {
  const n = p.length;
  return n === 1 ? 1 : (Math.max(...p) - 1 / n) / (1 - 1 / n);
}

export function expectedLevel(p: readonly number[]): number {
  let sum = 0;
  for (const [index, value] of p.entries()) sum += index * value;
  return sum;
}

export function scoreConfidence(p: readonly number[], level: number): number {
  const n = p.length;
  if (n === 1) return 1;
  let spread = 0;
  let mad = 0;
  for (const [index, value] of p.entries()) {
    spread += value * Math.abs(index - level);
    mad += Math.abs(index - (n - 1) / 2) / n;
  }
  return Math.max(0, 1 - spread / mad);
}

/** Softmax without tricks: right for small logits only. */
export function plainSoftmax(logits: readonly number[], temperature: number): number[] {
  const weights = logits.map((logit) => Math.exp(logit / temperature));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}
