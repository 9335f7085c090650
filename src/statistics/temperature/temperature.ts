/** A question whose logits are known. */
export interface Sample {
  /** Up to a constant per question, which the softmax does not see. */
  readonly logits: readonly number[];
  readonly expected: number;
  /** −ln p of the correct option with the temperature that it was answered with. */
  readonly loss: number;
}

/** Outside of these, a temperature corrects nothing: the answers are either all right or unrelated to the questions. */
export const TEMPERATURE_MIN = 0.1;
export const TEMPERATURE_MAX = 10;

const STEPS_MAX = 100;
const PRECISION = 1e-7;

/** The logits behind unrounded probabilities p = softmax(logits / temperature). */
export function sampleOf(raw: readonly number[], temperature: number, expected: number): Sample {
  // A probability that underflowed to 0 has a logit that is at least this far away.
  const logarithms = raw.map((p) => Math.log(Math.max(p, Number.MIN_VALUE)));
  return {
    logits: logarithms.map((each) => each * temperature),
    expected,
    loss: -(logarithms[expected] as number),
  };
}

/**
 * The temperature with the smallest mean log loss, between `TEMPERATURE_MIN` and `TEMPERATURE_MAX` (Guo et al. 2017, "On
 * Calibration of Modern Neural Networks"). The loss is convex in β = 1 / temperature, so this is Newton's method for its
 * derivative, kept inside a bracket.
 */
export function fitTemperature(samples: readonly Sample[]): number {
  let [low, high] = [1 / TEMPERATURE_MAX, 1 / TEMPERATURE_MIN];
  if (derivatives(samples, low).first >= 0) return TEMPERATURE_MAX;
  if (derivatives(samples, high).first <= 0) return TEMPERATURE_MIN;
  let beta = 1;
  for (let step = 0; step < STEPS_MAX && high - low > PRECISION; step += 1) {
    const { first, second } = derivatives(samples, beta);
    if (first > 0) high = beta;
    else low = beta;
    const newton = beta - first / second;
    const next = newton > low && newton < high ? newton : (low + high) / 2;
    if (Math.abs(next - beta) < PRECISION) return 1 / next;
    beta = next;
  }
  return 1 / beta;
}

/**
 * The probabilities after a further temperature: softmax(ln p / temperature). A temperature of 1 returns them as they are.
 */
export function recalibrated(probabilities: readonly number[], temperature: number): readonly number[] {
  if (temperature === 1) return probabilities;
  const largest = Math.log(Math.max(...probabilities));
  // exp(−∞) is 0: a probability of 0 stays 0.
  const weights = probabilities.map((p) => Math.exp((Math.log(p) - largest) / temperature));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

/** −ln of the correct option's probability at a temperature, in nats. */
export function lossAt({ logits, expected }: Sample, temperature: number): number {
  const largest = Math.max(...logits);
  const sum = logits.reduce((total, logit) => total + Math.exp((logit - largest) / temperature), 0);
  return Math.log(sum) - ((logits[expected] as number) - largest) / temperature;
}

/** The derivatives of the summed log loss by β: Σ E[z] − z(correct), and Σ Var[z]. */
function derivatives(samples: readonly Sample[], beta: number): { first: number; second: number } {
  let [first, second] = [0, 0];
  for (const { logits, expected } of samples) {
    const largest = Math.max(...logits);
    let [sum, mean, square] = [0, 0, 0];
    for (const logit of logits) {
      const z = logit - largest;
      const weight = Math.exp(z * beta);
      sum += weight;
      mean += weight * z;
      square += weight * z * z;
    }
    mean /= sum;
    first += mean - ((logits[expected] as number) - largest);
    second += square / sum - mean * mean;
  }
  return { first, second };
}
