import { createHmac } from 'node:crypto';
import type { Decision } from '../decide/index.js';
import { placeOf, seal, unseal } from '../sealing/index.js';
import { keptProbabilities } from '../statistics/index.js';
import type { Task } from './task-types.js';

/** What is kept of an answer to the questions of a task: numbers, and what names the request. */
export interface TaskAnswer {
  /** The id of a request; of a line of a batch, the id of the batch, a slash and the `custom_id`. */
  readonly reference: string;
  readonly version: number;
  /** The build that answered. */
  readonly build: string;
  /** See `CatalogBuild`; absent: a version of this program has kept the answer that did not keep it. */
  readonly calibration?: string;
  /**
   * Per question of the version, the probability of each option, neither rounded nor committed; none if it was not answered,
   * or in several orders of its options.
   */
  readonly probabilities: ReadonlyArray<readonly number[]>;
  /** The answer of the shadow build to the same request; absent: there is none. */
  readonly shadow?: ShadowAnswer;
}

/** What is kept of the answer of a shadow build. */
export interface ShadowAnswer extends Pick<TaskAnswer, 'build' | 'probabilities'> {
  /** `since` of the counts that have the pair: an answer of an earlier time is not compared with them. */
  readonly since: number;
}

/** An answer as it is stored. */
export interface AnswerRow extends Pick<TaskAnswer, 'version' | 'build'> {
  /** Finds the answer by its reference, and tells nothing without the key of the task. */
  readonly ref: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Reference, probabilities and calibration, encrypted with the key of the task, in base64. */
  readonly sealed: string;
}

/** Characters of a reference's digest, which is hexadecimal: 128 bits. */
const REF_CHARACTERS = 32;

/** What `AnswerRow.ref` is for a reference. `dataKey`: that of the task. */
export const answerRef = (dataKey: Uint8Array, reference: string): string =>
  createHmac('sha256', dataKey).update(`answer\0${reference}`).digest('hex').slice(0, REF_CHARACTERS);

/** What names the answer to a line of a batch; see `TaskAnswer`. */
export const lineReference = (batch: string, customId: string): string => `${batch}/${customId}`;

/** What is kept of a decision about a version. */
export function answerOf(
  { version }: Pick<TaskAnswer, 'version'>,
  reference: string,
  { build, calibration, probabilities }: Pick<Decision, 'build' | 'calibration' | 'probabilities'>,
): TaskAnswer {
  const kept = probabilities.map((options) => keptProbabilities(options ?? []));
  return { reference, version, build, calibration, probabilities: kept };
}

/** The stored form of an answer. `at`: milliseconds since 1970. */
export function sealAnswer(
  dataKey: Uint8Array,
  { id }: Pick<Task, 'id'>,
  { reference, version, build, calibration, probabilities, shadow }: TaskAnswer,
  at: number,
): AnswerRow {
  const ref = answerRef(dataKey, reference);
  const plain = Buffer.from(JSON.stringify([reference, probabilities, shadow ?? null, calibration ?? null]));
  return { ref, at, version, build, sealed: seal(dataKey, place(id, ref), plain).toString('base64') };
}

/** The answer of a row. Throws StoreError if it is damaged. */
export function openAnswer(
  dataKey: Uint8Array,
  { id }: Pick<Task, 'id'>,
  { ref, version, build, sealed }: AnswerRow,
): TaskAnswer {
  const plain = unseal(dataKey, place(id, ref), Buffer.from(sealed, 'base64')).toString();
  // Rows of earlier versions of this program end before the calibration, or before the shadow.
  const [reference, probabilities, shadow = null, calibration = null] = JSON.parse(plain) as [
    string,
    TaskAnswer['probabilities'],
    (ShadowAnswer | null)?,
    (string | null)?,
  ];
  return {
    reference,
    version,
    build,
    probabilities,
    ...(shadow !== null && { shadow }),
    ...(calibration !== null && { calibration }),
  };
}

/**
 * Whether the probabilities of an answer are comparable with those that its build gives with a calibration. Those of an
 * earlier version of this program count as such.
 */
export const hasCalibration = (
  { calibration }: Pick<TaskAnswer, 'calibration'>,
  wanted: string | undefined,
): boolean => calibration === undefined || calibration === wanted;

/** The row of an answer, to which the answer of the shadow build is added. Throws StoreError if it is damaged. */
export function withShadowAnswer<Row extends AnswerRow>(
  dataKey: Uint8Array,
  task: Pick<Task, 'id'>,
  row: Row,
  shadow: ShadowAnswer,
): Row {
  const { sealed } = sealAnswer(dataKey, task, { ...openAnswer(dataKey, task, row), shadow }, row.at);
  return { ...row, sealed };
}

/** Bound to its reference and not to its number: a labelled answer is kept elsewhere too. */
const place = (id: string, ref: string) => placeOf('task_answers', id, ref);
