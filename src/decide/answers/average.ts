import { softmax } from '../../base/index.js';

/**
 * Significant digits of an emitted label mass. Small values matter, so they are not decimals; the logarithm of a mass is a
 * 32-bit number, so that more digits of a small one would be noise.
 */
const MASS_DIGITS = 4;

/**
 * The probabilities of a question's options: the softmax of the logits, as mean over the orders in which it was asked.
 *
 * @param orders per order, the logits by option in the order of the question's options; what follows them is ignored
 * @param options the number of options
 * @param temperature divides the logits
 * @throws Error if there are fewer logits than options or one is not finite: the engine has failed
 */
export function probabilitiesOf(
  orders: readonly Float32Array[],
  options: number,
  temperature: number,
): Float64Array {
  const all = orders.map((logits) => {
    if (logits.length < options) throw new Error(`${logits.length} logits for ${options} options`);
    return softmax(logits.subarray(0, options), temperature);
  });
  const [first, ...others] = all;
  if (first === undefined) throw new Error('the question was not asked');
  if (others.length === 0) return first;
  return first.map((p, option) => others.reduce((sum, each) => sum + each[option]!, p) / all.length);
}

/**
 * The label mass of a question: the probability that the model gave to the labels of its options together, among all
 * tokens of its vocabulary and before the temperature, as mean over the orders in which it was asked.
 *
 * @param orders per order, what a plan with `LABEL_MASS` returns: the logits by option, then the logarithm of the mass
 * @returns 0 to 1, with `MASS_DIGITS` significant digits
 * @throws Error if a mass is missing or not a number: the engine has failed
 */
export function labelMassOf(orders: readonly Float32Array[], options: number): number {
  const sum = orders.reduce((all, logits) => all + Math.exp(logits[options] ?? Number.NaN), 0);
  const mass = sum / orders.length;
  if (!(mass >= 0 && mass <= 1)) throw new Error('the label mass is not a probability');
  return Number(mass.toPrecision(MASS_DIGITS));
}
