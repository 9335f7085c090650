import type { Estimate } from '../metrics/metrics-types.js';
import { exactInterval } from '../numerics/binomial.js';
import { Z } from '../numerics/quantiles.js';
import type { PairCounts, ShadowCounts } from './shadow-counts.js';

const CONFIDENCE = 0.95;

/** How a shadow build compares with the live one, for one question. Null: nothing was counted. */
export interface ShadowReport {
  readonly answers: number;
  /** The share of answers with the same option. */
  readonly agreement: Estimate | null;
  /** |Δp| over all options of all answers. */
  readonly mean_difference: number | null;
  readonly largest_difference: number | null;
  /** The share of answers whose acceptance would change, and the two directions. */
  readonly accept_changed: Estimate | null;
  readonly newly_accepted: number;
  readonly no_longer_accepted: number;
  /** Of answers with a label. */
  readonly labels: number;
  readonly live_accuracy: Estimate | null;
  readonly shadow_accuracy: Estimate | null;
  /** Shadow minus live. */
  readonly accuracy_difference: Estimate | null;
}

/**
 * Agreement and accuracies have the exact interval of a proportion (Clopper and Pearson 1934). Assumes that the requests
 * that were also run on the shadow build are a random sample of all, and those with labels of these.
 */
export function shadowReportOf({
  answers,
  agreed,
  options,
  moved,
  largest,
  accepted,
  right,
}: ShadowCounts): ShadowReport {
  const compared = totalOf(accepted);
  const labels = totalOf(right);
  return {
    answers,
    agreement: share(agreed, answers),
    mean_difference: options === 0 ? null : moved / options,
    largest_difference: options === 0 ? null : largest,
    accept_changed: share(accepted.live + accepted.shadow, compared),
    newly_accepted: accepted.shadow,
    no_longer_accepted: accepted.live,
    labels,
    live_accuracy: share(right.both + right.live, labels),
    shadow_accuracy: share(right.both + right.shadow, labels),
    accuracy_difference: labels === 0 ? null : pairedDifference(right.live, right.shadow, labels),
  };
}

/**
 * The difference of two proportions of the same n cases with its 95 % interval: Wald's interval after one case is added to
 * each kind of discordant pair (Bonett and Price 2012, "Adjusted Wald Confidence Interval for a Difference of Binomial
 * Proportions Based on Paired Data"). Its coverage is about 95 %, also for few pairs. Assumes independent cases.
 *
 * @param first cases of which only the first is true
 * @param second cases of which only the second is true
 * @returns second minus first
 */
function pairedDifference(first: number, second: number, n: number): Estimate {
  const [p, q] = [(first + 1) / (n + 2), (second + 1) / (n + 2)];
  const half = Z * Math.sqrt((p + q - (q - p) ** 2) / (n + 2));
  return { value: (second - first) / n, ci: [Math.max(-1, q - p - half), Math.min(1, q - p + half)] };
}

const totalOf = ({ both, live, shadow, neither }: PairCounts) => both + live + shadow + neither;

const share = (k: number, n: number): Estimate | null =>
  n === 0 ? null : { value: k / n, ci: exactInterval(k, n, CONFIDENCE) };
