import { quantile, showNumber, showTimes, type Times, timesOf } from '../report.js';
import type { Case } from './cases.js';
import type { Measured, Round } from './measure.js';

/** One row of the table and of the JSON file. Times in milliseconds; a ratio above 1 means that the engine is faster. */
export interface Result {
  readonly case: string;
  readonly rounds: number;
  /** Conditions of the measurement: use of the machine by others, settings of the peer. */
  readonly load: string;
  readonly tokens: number;
  readonly peer_tokens: number | null;
  readonly ours: Times;
  readonly planning: Times;
  readonly ideal: Times;
  readonly peer: Times | null;
  readonly full: Times;
  readonly ratio_ideal: number;
  readonly ratio_ideal_min: number;
  readonly ratio_peer: number | null;
  readonly ratio_peer_min: number | null;
  readonly ratio_full: number;
  /** The share of the machine used by other processes, in the median round. */
  readonly others: number;
  /** The share of the roofline that the engine reaches; null if the limits of the device are unknown. */
  readonly roofline: number | null;
}

/** `peerUnique`: unique tokens of the peer in this case; `leastMs`: the time of the roofline, if known. */
export function resultOf(
  one: Case,
  { rounds, parallelQuestions, fullPrompts: { all, measured } }: Measured,
  peerUnique: number | null,
  leastMs: number | null,
): Result {
  const pick = (key: 'ours' | 'planning' | 'ideal' | 'full' | 'tokens' | 'others') =>
    rounds.map((round) => round[key]);
  const ours = timesOf(pick('ours'));
  const planned = timesOf(rounds.map((round) => round.ours + round.planning));
  const ideal = timesOf(pick('ideal'));
  const full = timesOf(pick('full'));
  const peer = peerUnique === null ? null : timesOf(rounds.map((round) => round.peer ?? Number.NaN));
  const tokens = quantile(pick('tokens'), 0.5);
  const others = quantile(pick('others'), 0.5);
  const perToken = peerUnique === null ? Number.NaN : tokens / peerUnique;
  const setting = parallelQuestions === null ? '' : `, peer with ${parallelQuestions} in parallel`;
  const sample = `, full: ${measured} of ${all} prompts`;
  return {
    case: one.name,
    rounds: rounds.length,
    load: `${showNumber(others * 100)} % of the machine to others${setting}${sample}`,
    tokens,
    peer_tokens: peerUnique,
    ours,
    planning: timesOf(pick('planning')),
    ideal,
    peer,
    full,
    ratio_ideal: pairedMedian(rounds, (round) => round.ideal / round.ours),
    ratio_ideal_min: ideal.min / ours.min,
    ratio_peer:
      peer &&
      pairedMedian(
        rounds,
        (round) => ((round.peer ?? Number.NaN) * perToken) / (round.ours + round.planning),
      ),
    ratio_peer_min: peer && (peer.min * perToken) / planned.min,
    ratio_full: full.median / ours.median,
    others,
    roofline: leastMs === null ? null : leastMs / ours.median,
  };
}

/** The median of the rounds' ratios: a disturbance of a whole round affects both sides. */
function pairedMedian(rounds: readonly Round[], ratio: (round: Round) => number): number {
  return quantile(rounds.map(ratio), 0.5);
}

export const HEAD = [
  'case',
  'tokens',
  'peer’s',
  'ours',
  'planning',
  'ideal',
  'peer',
  'full',
  'ratio_ideal',
  'ratio_peer',
  'ratio_full',
  'roofline',
];

export function showResult(result: Result): string[] {
  const ratio = (value: number | null, min: number | null) =>
    value === null ? '–' : `${value.toFixed(2)} (${(min ?? value).toFixed(2)})`;
  return [
    result.case,
    String(result.tokens),
    result.peer_tokens === null ? '–' : String(result.peer_tokens),
    showTimes(result.ours),
    showNumber(result.planning.median),
    showTimes(result.ideal),
    showTimes(result.peer),
    showNumber(result.full.median),
    ratio(result.ratio_ideal, result.ratio_ideal_min),
    ratio(result.ratio_peer, result.ratio_peer_min),
    result.ratio_full.toFixed(1),
    result.roofline === null ? '–' : `${(result.roofline * 100).toFixed(0)} %`,
  ];
}
