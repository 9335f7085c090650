import { sameProportion } from '../numerics/hypergeometric.js';
import { CONFIDENCE_BOUNDS, type Counts, totalOf } from './distribution.js';

/** What differs between the reference and the answers. */
export interface Difference {
  /** `chosen`: how often an option is chosen. `confidence`: how often the confidence is below a bound. */
  readonly of: 'chosen' | 'confidence';
  /** The index of the option, or the bound. */
  readonly at: number;
  /** The share in each. */
  readonly reference: number;
  readonly answers: number;
}

/** How often one thing occurs in a set of answers. */
interface Occurrence {
  readonly of: Difference['of'];
  readonly at: number;
  readonly count: number;
}

/**
 * Tests "both sets are draws from one distribution" with the exact two-sample test, for the share of each option and for
 * the share of confidences below each bound. Half of the level goes to the options and half to the confidence; within a
 * half, all tests share it equally (Bonferroni 1936). Under the hypothesis, the result is not null with at most the
 * probability `level`, for sets of any size. Assumes independent answers.
 *
 * @returns the most significant difference; null if none is significant
 */
export function differenceOf(reference: Counts, answers: Counts, level: number): Difference | null {
  const [referenceTotal, total] = [totalOf(reference.confidence), totalOf(answers.confidence)];
  const before = occurrencesOf(reference);
  const now = occurrencesOf(answers);
  let [found, smallest]: [Difference | null, number] = [null, 1];
  for (const [index, { of, at, count }] of now.entries()) {
    const referenceCount = (before[index] as Occurrence).count;
    const tests = now.filter((each) => each.of === of).length;
    const p = sameProportion({ having: referenceCount, of: referenceTotal }, { having: count, of: total });
    const corrected = (p * 2 * tests) / level;
    if (corrected > smallest) continue;
    smallest = corrected;
    found = { of, at, reference: referenceCount / referenceTotal, answers: count / total };
  }
  return found;
}

function occurrencesOf({ chosen, confidence }: Counts): Occurrence[] {
  // With two options, the share of one says all; with one, there is nothing to test.
  const options = chosen.length > 2 ? chosen : chosen.slice(1);
  let below = 0;
  return [
    ...options.map((count, index) => ({
      of: 'chosen' as const,
      at: index + chosen.length - options.length,
      count,
    })),
    ...CONFIDENCE_BOUNDS.map((bound, index) => {
      below += confidence[index] as number;
      return { of: 'confidence' as const, at: bound, count: below };
    }),
  ];
}
