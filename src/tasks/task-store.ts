import type { LabelOutcome, LabelRow, NewLabel } from './labels/label.js';
import type { TaskMonitor } from './monitor/task-monitor.js';
import type { StoredBefore } from './put-task.js';
import type { Promotion, StoredShadow } from './shadow/promote-task.js';
import type { NewPairs, ShadowRecord } from './shadow/shadow-record.js';
import type { TaskAnswer } from './task-answer.js';
import type { TaskBounds } from './task-bounds.js';
import type { Task, TaskContent, TaskFit, TaskVersion } from './task-types.js';

/** Labelled answers, encrypted. */
export interface LabelledRows {
  readonly dataKey: Uint8Array;
  readonly rows: readonly LabelRow[];
}

/** What is kept about a task. */
export interface TaskCounts {
  readonly answers: number;
  /** Labelled answers of the version in use. */
  readonly labels: number;
}

/** Called once, when it is known whether an answer is kept: there may be no room, or the task may have been deleted. */
export type AnswerSettled = (isKept: boolean) => void;

/** The task that a name of a workspace stands for. */
export type TaskPlace = Pick<Task, 'workspace' | 'name'>;

/**
 * The stored tasks. Rejects with ApiError `overloaded` if the storage cannot be used, with `outcome_unknown` if it
 * is unknown whether a change was stored, and with StoreError for a damaged value.
 */
export interface TaskStore {
  /** Within this many milliseconds of an answer, a label of it finds it on every node; absent: there is one node. */
  readonly answersSeenMs?: number;
  /** Undefined: there is none. On a cluster, what other nodes have changed in the last second may be missing. */
  find(place: TaskPlace): Promise<Task | undefined>;
  /** The same, with everything that other nodes have changed before the call: for what cannot be taken back. */
  findNow(place: TaskPlace): Promise<Task | undefined>;
  /** The tasks of a workspace, by name. */
  list(workspace: string): Promise<Task[]>;
  /** What is kept about each task of a workspace, by the id of the task. */
  counts(workspace: string): Promise<ReadonlyMap<string, TaskCounts>>;
  /** The questions of a version as JSON; undefined if the task was deleted. */
  questions(task: Pick<Task, 'id'>, version: number): Promise<string | undefined>;
  /** The versions of a task, oldest first; undefined if it was deleted. */
  versions(task: Pick<Task, 'id'>): Promise<TaskVersion[] | undefined>;
  /**
   * Stores what `decide` makes of what is stored. The changes of a workspace are made one after the other, on all nodes
   * together. `decide` may be called again, and rejects the call with what it throws.
   */
  put(
    place: TaskPlace,
    content: TaskContent,
    decide: (before: StoredBefore, id: string, now: number) => Task,
  ): Promise<Task>;
  /** Deletes a task, its key first. False: there was none. */
  remove(place: TaskPlace): Promise<boolean>;
  /** Answers are kept from now on, and those that are too old deleted. */
  start(bounds: TaskBounds): void;
  /**
   * Keeps an answer, some time later. Once a task has `LIMITS.taskAnswers`, or the bounds are reached, its oldest one goes.
   * Throws StoreError if the data key of the task is damaged.
   */
  record(task: Task, answer: TaskAnswer, settled?: AnswerSettled): void;
  /**
   * Stores labels of answers: all of them, or none. If the task has no room for them, labelled answers of earlier versions
   * are removed. Labels that the fit in force has not used are added to the monitor of their build, together with their
   * storing. An answer of this node may be labelled at once, one of another node after `answersSeenMs`. Once this resolves,
   * the labels are on the disk. Rejects with what `requireUnchanged` throws.
   */
  label(task: Task, labels: readonly NewLabel[]): Promise<LabelOutcome>;
  /** The labelled answers of the version in use and a build, with the key that opens them; undefined: the task was deleted. */
  labelled(task: Task, build: string): Promise<LabelledRows | undefined>;
  /**
   * Puts a fit in force, with what it has found, as JSON, and with a monitor without answers: all are stored, or none. False:
   * the task was changed or deleted since the fit was begun, and nothing was stored.
   */
  putFit(task: Task, fit: TaskFit, report: string, monitor: TaskMonitor): Promise<boolean>;
  /** What the last fit to a build has found, as JSON; undefined: there was none. */
  fitReport(task: Task, build: string): Promise<string | undefined>;
  /**
   * Adds pairs of answers to those that are counted, and the answers of the shadow build to the answers that are kept. False:
   * the task has another version or another shadow now, or was deleted, and nothing was stored. After a rejection, some of
   * it may be stored; do not repeat it.
   */
  addPairs(task: Task, pairs: NewPairs): Promise<boolean>;
  /** What is counted of a shadow; undefined: nothing. */
  counted(task: Pick<Task, 'id' | 'workspace' | 'name'>): Promise<ShadowRecord | undefined>;
  /**
   * Stores what `decide` makes of a task, with its entry in the audit log: both, or none. `decide` may be called again, and
   * rejects the call with what it throws. Rejects with ApiError `task_not_found` if there is no such task.
   *
   * @param actor who makes the change, for the audit log
   * @param isRepeatable whether the call names the version: then a repetition after the change changes nothing
   */
  promote(
    place: TaskPlace,
    actor: string,
    decide: (before: StoredShadow, now: number) => Promotion,
    isRepeatable: boolean,
  ): Promise<Task>;
  /** What the answers of a build say since its last fit; undefined: there was none, or the task was deleted. */
  monitor(task: Task, build: string): Promise<TaskMonitor | undefined>;
  /**
   * Changes what is stored of the answers of a build: `change` changes the monitor that it gets, and may be called again with
   * another one; nothing is stored if it returns false. The changes of all nodes are made one after the other. Resolves with
   * the monitor that is stored now; undefined: there is none.
   */
  changeMonitor(
    task: Task,
    build: string,
    change: (monitor: TaskMonitor) => boolean,
  ): Promise<TaskMonitor | undefined>;
  /** How many labelled answers the version in use of a task has. */
  labels(task: Task): Promise<number>;
  /** How many answers of a task are kept. */
  answers(task: Task): Promise<number>;
}
