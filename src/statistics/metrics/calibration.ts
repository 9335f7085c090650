import { quantile } from './bootstrap.js';
import type { Interval, OperatingPoint, ReliabilityBin } from './metrics-types.js';

/** What calibration needs of an answer. */
export interface Judged {
  /** The probability of the most probable option. */
  readonly confidence: number;
  readonly correct: boolean;
}

const BINS_MAX = 10;
/** Fewer answers than this per bin measure noise. */
const BIN_ANSWERS_MIN = 10;
const POINTS_MAX = 50;
const ERROR_MAX = 0.05;

/** The bin of each answer, from 0. `sorted`: by confidence, lowest first. */
export interface Bins {
  readonly of: Int32Array;
  readonly count: number;
}

/**
 * Bins of equal mass: at most 10, of at least 10 answers each. Answers of equal confidence share a bin, so that bins do
 * not depend on the order of the answers.
 */
export function binsOf(sorted: readonly Judged[]): Bins {
  const n = sorted.length;
  const wanted = Math.max(1, Math.min(BINS_MAX, Math.floor(n / BIN_ANSWERS_MIN)));
  const of = new Int32Array(n);
  let bin = 0;
  let start = 0;
  let boundary = n / wanted;
  for (let at = 0; at < n; at += 1) {
    const tied = at > 0 && sorted[at]?.confidence === sorted[at - 1]?.confidence;
    const smaller = Math.min(at - start, n - at);
    if (at >= boundary - 1e-9 && !tied && smaller >= BIN_ANSWERS_MIN) {
      bin += 1;
      start = at;
      boundary = ((Math.floor((at * wanted) / n + 1e-9) + 1) * n) / wanted;
    }
    of[at] = bin;
  }
  return { of, count: bin + 1 };
}

/** The reliability curve: accuracy against mean confidence by bin. */
export function reliabilityOf(sorted: readonly Judged[], bins: Bins): ReliabilityBin[] {
  return Array.from({ length: bins.count }, (_, bin) => {
    const members = sorted.filter((_, at) => bins.of[at] === bin);
    const n = members.length;
    return {
      n,
      from: members[0]?.confidence as number,
      to: members.at(-1)?.confidence as number,
      confidence: members.reduce((total, { confidence }) => total + confidence, 0) / n,
      accuracy: members.filter(({ correct }) => correct).length / n,
    };
  });
}

/** Σ |gap| over the bins: the ECE, where a gap is (sum of correct − sum of confidence) / n. */
export const eceOf = (gaps: Float64Array): number => gaps.reduce((total, gap) => total + Math.abs(gap), 0);

/**
 * The 95 % interval of the ECE. Noise in a bin only ever adds to |gap|, so percentiles of resampled values lie too high,
 * and exclude 0 for a model that is calibrated perfectly. Instead, the true gaps are taken to be λ times the observed
 * ones, with the noise of the resamples on top, and the interval holds the λ for which the observed ECE is not among the
 * 2.5 % largest or smallest values that result. It always holds the observed ECE.
 *
 * @param observed the gap of each bin; not all are 0
 * @param resamples the gaps of each resample
 */
export function eceInterval(observed: Float64Array, resamples: readonly Float64Array[]): Interval {
  const ece = eceOf(observed);
  const atScale = (lambda: number, q: number) => {
    const values = resamples.map((gaps) =>
      gaps.reduce((total, gap, bin) => {
        const own = observed[bin] as number;
        return total + Math.abs(lambda * own + gap - own);
      }, 0),
    );
    return quantile(Float64Array.from(values).sort(), q);
  };
  const low = crossing(0, 1, (lambda) => atScale(lambda, 0.975) >= ece);
  const high = crossing(1, SCALE_MAX, (lambda) => atScale(lambda, 0.025) >= ece);
  return [low * ece, Math.min(1, high * ece)];
}

const SCALE_MAX = 8;
const HALVINGS = 20;

/** The smallest argument from `from` to `to` for which a monotonic condition holds; `to` if it holds for none. */
function crossing(from: number, to: number, holds: (at: number) => boolean): number {
  if (holds(from)) return from;
  let [below, above] = [from, to];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (below + above) / 2;
    if (holds(middle)) above = middle;
    else below = middle;
  }
  return above;
}

/** One point per distinct confidence: what accepting only answers from that confidence on gives. Coverage grows. */
export function operatingPoints(sorted: readonly Judged[]): OperatingPoint[] {
  const points: OperatingPoint[] = [];
  let wrong = 0;
  for (let at = sorted.length - 1; at >= 0; at -= 1) {
    const { confidence, correct } = sorted[at] as Judged;
    if (!correct) wrong += 1;
    if (at > 0 && sorted[at - 1]?.confidence === confidence) continue;
    const n = sorted.length - at;
    points.push({ threshold: confidence, n, coverage: n / sorted.length, error: wrong / n });
  }
  return points;
}

/** The point of largest coverage whose error is at most 5 %. */
export const pointOfError = (points: readonly OperatingPoint[]): OperatingPoint | null =>
  points.findLast(({ error }) => error <= ERROR_MAX) ?? null;

/** The operating point for 5 % error of answers in any order; null if there is none. */
export function thresholdOf(judged: readonly Judged[]): OperatingPoint | null {
  return pointOfError(operatingPoints([...judged].sort((a, b) => a.confidence - b.confidence)));
}

/** What a threshold that was chosen elsewhere gives here. */
export function applyThreshold(judged: readonly Judged[], threshold: number): OperatingPoint {
  const accepted = judged.filter(({ confidence }) => confidence >= threshold);
  const wrong = accepted.filter(({ correct }) => !correct).length;
  const n = accepted.length;
  return { threshold, n, coverage: n / judged.length, error: n === 0 ? 0 : wrong / n };
}

/** At most 50 of the points, evenly spaced, the first and the last among them. */
export function thin(points: readonly OperatingPoint[]): OperatingPoint[] {
  if (points.length <= POINTS_MAX) return [...points];
  const step = (points.length - 1) / (POINTS_MAX - 1);
  return Array.from({ length: POINTS_MAX }, (_, index) => points[Math.round(index * step)] as OperatingPoint);
}
