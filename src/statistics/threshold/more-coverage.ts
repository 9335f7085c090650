import { candidatesOf, countFrom, pValue, type Scored, type Target } from './certified-threshold.js';
import { labelsFor } from './split.js';

/** A larger share of accepted answers, and what it would probably take. */
export interface MoreCoverage {
  readonly threshold: number;
  readonly coverage: number;
  /** The number of labels with which half of all fits would keep the target there, if its error is the observed one. */
  readonly labels: number;
}

/** Entries are at least this far apart in coverage. */
const COVERAGE_STEP = 0.05;
/** More labels than anyone has: no statement. */
const LABELS_MAX = 1_000_000;

/**
 * Larger coverages with the number of labels that each needs, smallest coverage first: where the observed error is below the
 * target, and the present labels are too few to be sure. A larger coverage always needs more labels: others are left out. An
 * estimate without a guarantee.
 *
 * The observed error is that of all labels, or of those that tested if it is larger: with that of all, as many labels as the
 * fit has, or fewer, could seem to be enough although the fit has just failed with them.
 *
 * @param present the lowest threshold that keeps the target; infinite if none does
 */
export function moreCoverageOf(
  choosing: readonly Scored[],
  testing: readonly Scored[],
  target: Target,
  lowest: number,
  present: number,
): MoreCoverage[] {
  const scored = [...choosing, ...testing];
  const found: MoreCoverage[] = [];
  const covered = countFrom(scored, present).accepted / scored.length;
  let smallest = LABELS_MAX;
  for (const threshold of candidatesOf(scored, lowest).reverse()) {
    const { accepted, wrong } = countFrom(scored, threshold);
    const coverage = accepted / scored.length;
    if (threshold >= present || coverage < covered + COVERAGE_STEP) break;
    if (coverage > (found[0]?.coverage ?? 2) - COVERAGE_STEP) continue;
    const tested = countFrom(testing, threshold);
    const error = Math.max(errorOf({ accepted, wrong }), errorOf(tested));
    const labels = labelsFor(testingNeeded(error, coverage, target));
    if (labels >= smallest || labels <= scored.length) continue;
    smallest = labels;
    found.unshift({ threshold, coverage, labels });
  }
  return found;
}

/** The share of wrong answers; at least half an answer is wrong, because few labels have few errors. */
const errorOf = ({ accepted, wrong }: { accepted: number; wrong: number }): number =>
  (wrong + 0.5) / (accepted + 1);

/** The smallest number of testing labels whose expected counts keep the target; infinite if it is over `LABELS_MAX`. */
function testingNeeded(error: number, coverage: number, target: Target): number {
  if (error >= target.error) return Number.POSITIVE_INFINITY;
  const keeps = (testing: number) => {
    const accepted = Math.floor(testing * coverage);
    return pValue(Math.round(accepted * error), accepted, target) <= 1 - target.confidence;
  };
  let high = 1;
  while (!keeps(high)) {
    if (high > LABELS_MAX) return Number.POSITIVE_INFINITY;
    high *= 2;
  }
  let low = high / 2;
  while (high - low > 1) {
    const middle = Math.round((low + high) / 2);
    if (keeps(middle)) high = middle;
    else low = middle;
  }
  return high;
}
