import type { Acceptance } from '../statistics/index.js';

/** A named set of questions of a workspace: its version in use. */
export interface Task {
  /** Names the task in the storage. A task that is deleted and made again has another one. */
  readonly id: string;
  readonly workspace: string;
  readonly name: string;
  /** Milliseconds since 1970, as `changed`. */
  readonly created: number;
  readonly changed: number;
  /** The number of the version in use, which is the last one, from 1. */
  readonly version: number;
  /** The length of the questions of all versions together, in UTF-8. */
  readonly bytes: number;
  /** The id of a model or build; null: the default model. */
  readonly model: string | null;
  readonly description: string | null;
  /** The most that the share of errors among accepted answers may be. */
  readonly targetError: number;
  /** With which probability `targetError` holds. */
  readonly confidence: number;
  /** Null: answers are not compared with those of another build. */
  readonly shadow: TaskShadow | null;
  /** Rises when a task without a shadow gets one, so that nothing of an earlier one is counted; absent: 0. */
  readonly shadowNumber?: number;
  /** The version whose shadow build was promoted, if that has made the version in use. */
  readonly promotedFrom?: number;
  /** The last one first; see `fitsInForce`. */
  readonly fits: readonly TaskFit[];
}

/** A second build that is asked about a share of the requests, after they were answered. Not part of a version. */
export interface TaskShadow {
  /** The id of a model or build. */
  readonly model: string;
  /** Above 0, at most 1. */
  readonly share: number;
}

/** A fit of a version to the labels of a build, as far as answers need it. */
export interface TaskFit extends Pick<Task, 'version' | 'targetError' | 'confidence'> {
  readonly build: string;
  /** See `CatalogBuild`; absent: a version of this program has made it that did not keep it. */
  readonly calibration?: string;
  /** When it was made, in milliseconds since 1970. */
  readonly at: number;
  /** Per question; null: its labels were too few. */
  readonly acceptances: ReadonlyArray<Acceptance | null>;
}

/** A version of a task. Its questions and its model never change. */
export interface TaskVersion {
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly model: string | null;
}

/** What a caller wants a task to be; checked. */
export interface TaskContent
  extends Pick<Task, 'model' | 'description' | 'targetError' | 'confidence' | 'shadow'> {
  /** `questions` as JSON without spaces, in the order sent. Equal questions are equal strings. */
  readonly questions: string;
}
