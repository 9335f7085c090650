import { isCount, isNumber, isObjectOf, isOneOf, type ValueOf } from '../../base/index.js';
import { checkProbabilities, chosen } from '../metrics/score.js';
import { type Acceptance, isAccepted } from '../threshold/acceptance.js';

const isPairCounts = isObjectOf({ both: isCount, live: isCount, shadow: isCount, neither: isCount });

/** Pairs of answers by whether something is true of both, of that of one build only, or of neither. */
export type PairCounts = ValueOf<typeof isPairCounts>;

const isState = isObjectOf({
  format: isOneOf('shadow 1'),
  answers: isCount,
  /** Pairs that chose the same option. */
  agreed: isCount,
  /** |Δp| over all options of all pairs: how many, their sum, and the largest. */
  options: isCount,
  moved: isNumber,
  largest: isNumber,
  /** Whether an answer is accepted; without a threshold, nothing is counted. */
  accepted: isPairCounts,
  /** Whether a labelled answer is right. */
  right: isPairCounts,
});

/** The answers of two builds to one question, counted, as JSON. The live build is the one whose answers are sent. */
export type ShadowCounts = ValueOf<typeof isState>;

const NO_PAIRS: PairCounts = { both: 0, live: 0, shadow: 0, neither: 0 };

export const NO_SHADOW_ANSWERS: ShadowCounts = {
  format: 'shadow 1',
  answers: 0,
  agreed: 0,
  options: 0,
  moved: 0,
  largest: 0,
  accepted: NO_PAIRS,
  right: NO_PAIRS,
};

/** The counts of a state; null if it is not one that this version writes. */
export const shadowCountsFrom = (state: unknown): ShadowCounts | null => (isState(state) ? state : null);

/** The answers of both builds to one request. */
interface AnswerPair {
  /** As in a `LabelledAnswer`. */
  readonly live: readonly number[];
  readonly shadow: readonly number[];
}

/**
 * Adds a pair of answers.
 *
 * @param acceptance that of the live build, which is applied to both
 * @throws Error if they are not probabilities of the same options
 */
export function withPair(counts: ShadowCounts, pair: AnswerPair, acceptance: Acceptance): ShadowCounts {
  const { live, shadow } = checked(pair);
  const moves = live.map((p, index) => Math.abs(p - (shadow[index] as number)));
  const [accepts, other] = [isAccepted(acceptance, live), isAccepted(acceptance, shadow)];
  return {
    ...counts,
    answers: counts.answers + 1,
    agreed: counts.agreed + Number(chosen(live) === chosen(shadow)),
    options: counts.options + moves.length,
    moved: counts.moved + moves.reduce((a, b) => a + b, 0),
    largest: Math.max(counts.largest, ...moves),
    accepted: accepts === null || other === null ? counts.accepted : counted(counts.accepted, accepts, other),
  };
}

/**
 * Adds the label of a pair that was counted.
 *
 * @param expected the index of the correct option
 */
export function withPairLabel(counts: ShadowCounts, pair: AnswerPair, expected: number): ShadowCounts {
  const { live, shadow } = checked(pair);
  return {
    ...counts,
    right: counted(counts.right, chosen(live) === expected, chosen(shadow) === expected),
  };
}

/** The counts of several nodes together. */
export const mergedShadow = (a: ShadowCounts, b: ShadowCounts): ShadowCounts => ({
  format: 'shadow 1',
  answers: a.answers + b.answers,
  agreed: a.agreed + b.agreed,
  options: a.options + b.options,
  moved: a.moved + b.moved,
  largest: Math.max(a.largest, b.largest),
  accepted: sum(a.accepted, b.accepted),
  right: sum(a.right, b.right),
});

function checked(pair: AnswerPair): AnswerPair {
  checkProbabilities(pair.live);
  checkProbabilities(pair.shadow);
  if (pair.live.length !== pair.shadow.length)
    throw new Error('both answers of a pair have the same options');
  return pair;
}

function counted(counts: PairCounts, live: boolean, shadow: boolean): PairCounts {
  const name = live ? (shadow ? 'both' : 'live') : shadow ? 'shadow' : 'neither';
  return { ...counts, [name]: counts[name] + 1 };
}

const sum = (a: PairCounts, b: PairCounts): PairCounts => ({
  both: a.both + b.both,
  live: a.live + b.live,
  shadow: a.shadow + b.shadow,
  neither: a.neither + b.neither,
});
