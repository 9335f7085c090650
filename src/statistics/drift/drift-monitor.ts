import {
  isArrayOf,
  isCount,
  isNullOr,
  isNumber,
  isObjectOf,
  isOneOf,
  type ValueOf,
} from '../../base/index.js';
import {
  type AnswerCode,
  answerCode,
  type Counts,
  codesOf,
  count,
  emptyCounts,
  isCounts,
  sharesOf,
  totalOf,
} from './distribution.js';
import { differenceOf } from './drift-test.js';
import { stabilityIndex } from './stability-index.js';

/** The last answers, which are compared with the references. */
export const WINDOW_ANSWERS = 1_000;
/** Answers between two tests. */
export const TEST_EVERY_ANSWERS = 250;
/** The probability of a false alarm about a question in `FALSE_ALARM_ANSWERS` unchanged answers is at most this. */
export const FALSE_ALARM_PROBABILITY = 0.05;
export const FALSE_ALARM_ANSWERS = 1_000_000;

const OTHER_OPTIONS = 'an answer has other options than the labelled ones';

/** What the window is compared with: the labelled answers of the fit, and the answers that have left the window. */
const REFERENCES = ['labelled', 'earlier'] as const;

const isAlarm = isObjectOf({
  /** The number of answers when it was raised. */
  after_answers: isCount,
  reference: isOneOf(...REFERENCES),
  of: isOneOf('chosen', 'confidence'),
  at: isNumber,
  reference_share: isNumber,
  window_share: isNumber,
});

/** The first significant difference; `of` and `at` as in `Difference`. */
export type DriftAlarm = ValueOf<typeof isAlarm>;

const isState = isObjectOf({
  format: isOneOf('drift 1'),
  labelled: isCounts,
  earlier: isCounts,
  /** The codes of the last answers, oldest first. */
  window: isArrayOf(isCount),
  alarm: isNullOr(isAlarm),
});

/** What a monitor knows, as JSON: less than 8 KB with the most options. */
export type DriftState = ValueOf<typeof isState>;

/** Shares of the labelled answers and of the last ones. */
interface Shift {
  readonly labelled: readonly number[];
  readonly window: readonly number[];
  /** Null if there are no answers yet. */
  readonly stability: ReturnType<typeof stabilityIndex>;
}

export interface DriftReport {
  /** All answers, and those in the window. */
  readonly answers: number;
  readonly window: number;
  /** By option, and by class of confidence (`CONFIDENCE_BOUNDS`). */
  readonly chosen: Shift;
  readonly confidence: Shift;
  /** Stays until the next fit. */
  readonly alarm: DriftAlarm | null;
}

/**
 * Compares the last answers to a question with the labelled answers of its fit, and with the answers before them: the
 * labelled ones are those of which the fit speaks; the earlier ones are many more after some time, so that they show smaller
 * changes. An answer takes O(1); every 250th one is followed by the tests.
 *
 * The bound of false alarms is that of Bonferroni (1936) over the 4,000 times that a million answers are tested, both
 * references, and the tests of `differenceOf`, each of which is exact for any number of answers. So it holds although tests
 * overlap, share a reference, and are looked at all the time; and for each further million in the same way. A sequential
 * test against the shares of the labelled answers would not be valid: those are a sample, and differ from the true shares.
 *
 * Assumes that unchanged answers are independent draws from one distribution, of which the labelled ones are a random sample.
 * Repeated requests and daily cycles are changes in this sense.
 *
 * Keep one for each question, build and fit, shared by all nodes of a cluster: several would have a bound each. An answer
 * that was not given, because the question did not fit into the context, is not added.
 */
export class DriftMonitor {
  private readonly labelled: Counts;
  private readonly earlier: Counts;
  private readonly window: Counts;
  /** A ring: the oldest is at `oldest` once it is full. */
  private readonly codes: AnswerCode[];
  private oldest = 0;
  private alarm: DriftAlarm | null;

  private constructor(state: DriftState) {
    this.labelled = copied(state.labelled);
    this.earlier = copied(state.earlier);
    this.alarm = state.alarm;
    this.codes = [...state.window];
    this.window = emptyCounts(this.labelled.chosen.length);
    for (const code of this.codes) count(this.window, code, 1);
  }

  /**
   * A monitor without answers.
   *
   * @param labelled the probabilities of the labelled answers of the fit, at least one
   * @throws Error if they are not probabilities, or differ in their number
   */
  static of(labelled: ReadonlyArray<readonly number[]>): DriftMonitor {
    const options = labelled[0]?.length ?? 0;
    if (options === 0) throw new Error('no labelled answers');
    const counts = emptyCounts(options);
    for (const probabilities of labelled) {
      if (probabilities.length !== options) throw new Error(OTHER_OPTIONS);
      count(counts, answerCode(probabilities), 1);
    }
    const earlier = emptyCounts(options);
    return new DriftMonitor({ format: 'drift 1', labelled: counts, earlier, window: [], alarm: null });
  }

  /** The monitor of a state; null if it is not one that this version writes. */
  static from(state: unknown): DriftMonitor | null {
    if (!isState(state)) return null;
    const options = state.labelled.chosen.length;
    const fits =
      options > 0 &&
      hasClasses(state.labelled, options) &&
      hasClasses(state.earlier, options) &&
      state.window.length <= WINDOW_ANSWERS &&
      state.window.every((code) => code < codesOf(options));
    return fits ? new DriftMonitor(state) : null;
  }

  /** A copy, to store. */
  state(): DriftState {
    return {
      format: 'drift 1',
      labelled: copied(this.labelled),
      earlier: copied(this.earlier),
      window: [...this.codes.slice(this.oldest), ...this.codes.slice(0, this.oldest)],
      alarm: this.alarm,
    };
  }

  /**
   * Adds an answer.
   *
   * @param code what `answerCode` returns for an answer with the options of the labelled ones
   * @returns the alarm, if this answer has raised it
   * @throws Error if the chosen option is none of those
   */
  add(code: AnswerCode): DriftAlarm | null {
    if (code >= codesOf(this.labelled.chosen.length)) throw new Error(OTHER_OPTIONS);
    if (this.codes.length < WINDOW_ANSWERS) {
      this.codes.push(code);
    } else {
      const leaving = this.codes[this.oldest] as AnswerCode;
      count(this.window, leaving, -1);
      count(this.earlier, leaving, 1);
      this.codes[this.oldest] = code;
      this.oldest = (this.oldest + 1) % WINDOW_ANSWERS;
    }
    count(this.window, code, 1);
    if (this.alarm !== null || this.answers() % TEST_EVERY_ANSWERS !== 0) return null;
    this.alarm = this.test();
    return this.alarm;
  }

  get isDrifting(): boolean {
    return this.alarm !== null;
  }

  report(): DriftReport {
    return {
      answers: this.answers(),
      window: this.codes.length,
      chosen: this.shift('chosen'),
      confidence: this.shift('confidence'),
      alarm: this.alarm,
    };
  }

  private answers(): number {
    return totalOf(this.earlier.confidence) + this.codes.length;
  }

  private test(): DriftAlarm | null {
    const level = (FALSE_ALARM_PROBABILITY * TEST_EVERY_ANSWERS) / FALSE_ALARM_ANSWERS / REFERENCES.length;
    for (const reference of REFERENCES) {
      const found = differenceOf(this[reference], this.window, level);
      if (found === null) continue;
      const { of, at, reference: before, answers: now } = found;
      return { after_answers: this.answers(), reference, of, at, reference_share: before, window_share: now };
    }
    return null;
  }

  private shift(of: keyof Counts): Shift {
    return {
      labelled: sharesOf(this.labelled[of]),
      window: sharesOf(this.window[of]),
      stability: stabilityIndex(this.labelled[of], this.window[of]),
    };
  }
}

const copied = ({ chosen, confidence }: Counts): Counts => ({
  chosen: [...chosen],
  confidence: [...confidence],
});

const hasClasses = (counts: Counts, options: number): boolean =>
  counts.chosen.length === options &&
  counts.confidence.length === emptyCounts(options).confidence.length &&
  totalOf(counts.chosen) === totalOf(counts.confidence);
