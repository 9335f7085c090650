import { isArrayOf, isCount, isObjectOf, isOptional, isString } from '../../base/index.js';
import type { CatalogBuild } from '../../engine/index.js';
import { mergedShadow, type ShadowCounts, shadowCountsFrom } from '../../statistics/index.js';
import type { ShadowAnswer, TaskAnswer } from '../task-answer.js';
import type { Task } from '../task-types.js';

/** Whose answers are compared: those of two builds to the questions of a version. `live`: the build whose answers are sent. */
export interface Compared {
  readonly version: number;
  readonly live: string;
  readonly shadow: string;
  /** See `calibrationsOf`; absent: an earlier version of this program has stored it. */
  readonly calibrations?: string | undefined;
}

type Calibrated = Pick<CatalogBuild, 'calibration'>;

/** The calibrations of both builds, as one string. */
export const calibrationsOf = (live: Calibrated, shadow: Calibrated): string =>
  `${live.calibration}/${shadow.calibration}`;

/** What is counted of the answers of two builds. */
export interface ShadowRecord extends Compared {
  /** When the first pair was stored, in milliseconds since 1970. */
  readonly since: number;
  /** Per question of the version. */
  readonly questions: readonly ShadowCounts[];
}

/** Pairs of answers that are not stored yet. */
export interface NewPairs extends Pick<ShadowRecord, keyof Compared | 'questions'> {
  /** The answers of the shadow build, by what names the answer that was sent. */
  readonly answers: ReadonlyArray<Pick<TaskAnswer, 'reference'> & Pick<ShadowAnswer, 'probabilities'>>;
}

const isRecord = isObjectOf({
  version: isCount,
  live: isString,
  shadow: isString,
  calibrations: isOptional(isString),
  since: isCount,
  questions: isArrayOf((value): value is ShadowCounts => shadowCountsFrom(value) !== null),
});

/** A record that was stored; null: it is not one of this version of the program. */
export const shadowRecordFrom = (value: unknown): ShadowRecord | null => (isRecord(value) ? value : null);

/** Whether two records are about the same version and builds, with the same calibrations as far as they are known. */
export const comparesSame = (one: Compared, other: Compared): boolean =>
  one.version === other.version &&
  one.live === other.live &&
  one.shadow === other.shadow &&
  (one.calibrations === undefined ||
    other.calibrations === undefined ||
    one.calibrations === other.calibrations);

/**
 * Whether the pairs of a task may still be counted: it has the version and the shadow that it had.
 *
 * @param current what is stored under its name now; undefined: nothing
 */
export const hasSameShadow = (
  current: Task | undefined,
  { id, version, shadow, shadowNumber = 0 }: Task,
): boolean =>
  shadow !== null &&
  current?.id === id &&
  current.version === version &&
  current.shadow?.model === shadow.model &&
  (current.shadowNumber ?? 0) === shadowNumber;

/**
 * The record with further pairs. If they are of another version or other builds, it begins anew.
 *
 * @param now milliseconds since 1970
 */
export function withPairs(before: ShadowRecord | null, pairs: NewPairs, now: number): ShadowRecord {
  const { version, live, shadow, calibrations, questions } = pairs;
  const known = before !== null && comparesSame(before, pairs) ? before : null;
  return {
    version,
    live,
    shadow,
    calibrations,
    since: known?.since ?? now,
    questions: questions.map((counts, at) => {
      const own = known?.questions[at];
      return own === undefined ? counts : mergedShadow(own, counts);
    }),
  };
}
