import type { Random } from '../../src/base/index.js';
import type { Plan } from '../../src/engine/index.js';

export const LONG_TOKENS = 1_500;
export const SHORT_TOKENS = 40;
const SUFFIX_TOKENS = 60;

/** How often a long state is one of the last two, by case, as a function of the part of the run that is over. */
export const RATES: Readonly<Record<string, (part: number) => number>> = {
  '0 %': () => 0,
  '50 %': () => 0.5,
  '90 %': () => 0.9,
  '90 %, then 0 %, then 90 %': (part) => (part >= 1 / 3 && part < 2 / 3 ? 0 : 0.9),
  '0 %, then 50 %, then 0 %': (part) => (part >= 1 / 3 && part < 2 / 3 ? 0.5 : 0),
};

/**
 * Requests with one question each. Long and short states alternate; short ones never repeat.
 *
 * @param options the tokens of each question's options
 */
export function repeatingPlans(
  rate: (part: number) => number,
  count: number,
  options: Int32Array,
  random: Random,
): Plan[] {
  let made = 0;
  const tokens = (length: number) => {
    made += 1;
    // The first two differ for each list, and all are words of the generated models.
    return Int32Array.from(
      { length },
      (_, i) => 300 + ((i < 2 ? Math.floor(made / 30 ** i) : i * 7 + made * 31) % 1_000),
    );
  };
  const planOn = (prefix: Int32Array): Plan => ({
    prefix,
    prefixKey: prefix.join(),
    images: [],
    suffixes: [{ tokens: tokens(SUFFIX_TOKENS), options }],
  });
  const recent = [tokens(LONG_TOKENS), tokens(LONG_TOKENS)];
  return Array.from({ length: count }, (_, at) => {
    if (at % 2 === 1) return planOn(tokens(SHORT_TOKENS));
    const repeats = random.number() < rate(at / count);
    if (!repeats) {
      recent.shift();
      recent.push(tokens(LONG_TOKENS));
    }
    return planOn(recent[repeats ? random.integer(2) : 1] as Int32Array);
  });
}
