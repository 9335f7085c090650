/** An answer whose correct option is known: what metrics are computed from. */
export interface Measured {
  /** The id of the case. */
  readonly case: string;
  /** Cases of a group are not independent: intervals resample whole groups. Null: the case is its own group. */
  readonly group: string | null;
  /** The index of the correct option. */
  readonly expected: number;
  /** One per option, in their order. */
  readonly probabilities: readonly number[];
}

/** The bounds of a 95 % interval. */
export type Interval = readonly [low: number, high: number];

/** What intervals resample; docs/evaluation.md says when. */
export type ResampledUnit = 'groups' | 'cases';

/** A mean or a share with its 95 % interval. */
export interface Estimate {
  readonly value: number;
  readonly ci: Interval;
}

/** A set of answered questions, measured. Formulas: docs/evaluation.md. */
export interface Quality {
  /** Answered questions. */
  readonly n: number;
  /** The share whose most probable option is the correct one. */
  readonly accuracy: number;
  /** Mean over questions of Σ (pᵢ − yᵢ)² over options: 0 to 2. */
  readonly brier: number;
  /** Mean of −ln p(correct option), in nats. */
  readonly log_loss: number;
  /** Expected calibration error of the most probable option, over bins of equal mass. */
  readonly ece: number;
  readonly ci: {
    readonly accuracy: Interval;
    readonly brier: Interval;
    readonly log_loss: Interval;
    readonly ece: Interval;
  };
  readonly resampled: ResampledUnit;
  /** By confidence, lowest first. */
  readonly reliability: readonly ReliabilityBin[];
  /** By threshold, highest first: coverage grows. At most 50 points; the last one covers everything. */
  readonly coverage: readonly OperatingPoint[];
  /** The point of largest coverage whose error is at most 5 %; null if none is. */
  readonly at_5_percent_error: OperatingPoint | null;
}

/** A bin of the reliability curve. Confidence: the probability of the most probable option. */
export interface ReliabilityBin {
  readonly n: number;
  /** Smallest and largest confidence in the bin. */
  readonly from: number;
  readonly to: number;
  /** Mean confidence, and the share that is correct. */
  readonly confidence: number;
  readonly accuracy: number;
}

/** If only answers with a confidence of at least `threshold` are accepted. */
export interface OperatingPoint {
  readonly threshold: number;
  /** Answers accepted, as a number and as a share. */
  readonly n: number;
  readonly coverage: number;
  /** The share of the accepted answers that is wrong. */
  readonly error: number;
}
