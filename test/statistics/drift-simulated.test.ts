// Simulations of the bound of false alarms of a drift monitor, and of its power.
import { test } from 'tap';
import { type Random, random } from '../../src/base/index.js';
import { answerCode, count, emptyCounts } from '../../src/statistics/drift/distribution.js';
import { differenceOf } from '../../src/statistics/drift/drift-test.js';
import {
  DriftMonitor,
  FALSE_ALARM_ANSWERS,
  FALSE_ALARM_PROBABILITY,
  WINDOW_ANSWERS,
} from '../../src/statistics/index.js';
import { exactInterval } from '../../src/statistics/numerics/binomial.js';
import { seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { isShownAbove } from '../support/statistics/shown-above.js';
import { answerStream } from '../support/statistics/streams.js';

const STREAMS = scaled({ short: 1, long: 4 });
const ANSWERS = scaled({ short: 100_000, long: FALSE_ALARM_ANSWERS });
const PAIRS = scaled({ short: 150, long: 600 });
const SHIFTS = scaled({ short: 12, long: 60 });

const SHARES = [0.4, 0.3, 0.2, 0.1];

test('unchanged answers raise no more alarms than the bound', (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const alarmsIn = (streams: number): number => {
    let alarms = 0;
    for (let stream = 0; stream < streams; stream += 1) {
      const answer = answerStream(next, SHARES);
      const monitor = DriftMonitor.of(Array.from({ length: 400 }, answer));
      let raised = false;
      for (let at = 0; at < ANSWERS && !raised; at += 1) raised = monitor.add(answerCode(answer())) !== null;
      if (raised) alarms += 1;
    }
    t.comment(`${alarms} of ${streams} streams of ${ANSWERS} answers with a false alarm`);
    return alarms;
  };
  t.notOk(isShownAbove(FALSE_ALARM_PROBABILITY, STREAMS, alarmsIn));
  t.end();
});

test('one comparison of unchanged answers is significant in at most the share of its level', (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const counted = (answer: () => readonly number[], answers: number) => {
    const counts = emptyCounts(SHARES.length);
    for (let at = 0; at < answers; at += 1) count(counts, answerCode(answer()), 1);
    return counts;
  };
  for (const [labelled, level] of [
    [20, 0.05],
    [400, 0.05],
    [2_000, 0.2],
  ] as const) {
    const significantOf = (pairs: number): number => {
      let significant = 0;
      for (let pair = 0; pair < pairs; pair += 1) {
        const answer = answerStream(next, SHARES);
        if (differenceOf(counted(answer, labelled), counted(answer, WINDOW_ANSWERS), level) !== null)
          significant += 1;
      }
      t.comment(`${labelled} labelled answers: ${significant} of ${pairs} at the level ${level}`);
      return significant;
    };
    t.notOk(isShownAbove(level, PAIRS, significantOf));
  }
  t.end();
});

interface Setting {
  readonly labelled: number;
  readonly earlier: number;
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** The power that is promised; 0: only reported. */
  readonly power: number;
}

/** A class grows by 10 points, the others shrink in proportion. */
const shifted = (shares: readonly number[], by = 0.1): number[] => {
  const [first = 0, ...others] = shares;
  return [first + by, ...others.map((share) => (share * (1 - first - by)) / (1 - first))];
};
const EQUAL = [0.25, 0.25, 0.25, 0.25];
const RARE = [0.05, 0.4, 0.3, 0.25];
const SETTINGS: readonly Setting[] = [
  ...[400, 2_000, 5_000].map((labelled) => ({
    labelled,
    earlier: 0,
    from: EQUAL,
    to: shifted(EQUAL),
    power: 0,
  })),
  { labelled: 400, earlier: 0, from: RARE, to: shifted(RARE), power: 0 },
  { labelled: 2_000, earlier: 0, from: RARE, to: shifted(RARE), power: 0.95 },
  { labelled: 400, earlier: 5_000, from: EQUAL, to: shifted(EQUAL), power: 0.8 },
  { labelled: 400, earlier: 5_000, from: RARE, to: shifted(RARE), power: 0.95 },
  { labelled: 400, earlier: 5_000, from: [0.45, 0.55], to: [0.55, 0.45], power: 0.7 },
  { labelled: 400, earlier: 5_000, from: EQUAL, to: shifted(EQUAL, 0.2), power: 0.95 },
];

test('a shift of 10 points in one class is found within 1,000 answers', (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  for (const setting of SETTINGS) {
    const { labelled, earlier, from, to, power } = setting;
    const missedOf = (shifts: number): number => {
      let found = 0;
      for (let run = 0; run < shifts; run += 1) if (isFound(next, setting)) found += 1;
      const [low, high] = exactInterval(found, shifts, 0.95).map((each) => Math.round(100 * each));
      t.comment(
        `${labelled} labelled, ${earlier} earlier, ${from[0]} to ${to[0]?.toFixed(2)} of ${from.length}: ${found} of ${shifts} found (${low} to ${high} %)`,
      );
      return shifts - found;
    };
    t.notOk(isShownAbove(1 - power, SHIFTS, missedOf), `promised ${power}`);
  }
  t.end();
});

function isFound(next: Random, { labelled, earlier, from, to }: Setting): boolean {
  const [before, after] = [answerStream(next, from), answerStream(next, to)];
  const monitor = DriftMonitor.of(Array.from({ length: labelled }, before));
  for (let at = 0; at < earlier; at += 1) monitor.add(answerCode(before()));
  let found = false;
  for (let at = 0; at < WINDOW_ANSWERS; at += 1) found = monitor.add(answerCode(after())) !== null || found;
  return found;
}
