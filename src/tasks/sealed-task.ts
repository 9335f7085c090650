import { placeOf, seal, unseal } from '../sealing/index.js';
import { TaskMonitor } from './monitor/task-monitor.js';
import { hasNewVersion } from './put-task.js';
import { type ShadowRecord, shadowRecordFrom } from './shadow/shadow-record.js';
import type { Task, TaskVersion } from './task-types.js';

type Hidden = Pick<
  Task,
  'model' | 'description' | 'targetError' | 'confidence' | 'shadow' | 'shadowNumber' | 'promotedFrom' | 'fits'
>;

/** The row of a task. What a caller wrote is sealed, except the name. */
export interface TaskRow extends Omit<Task, 'workspace' | 'name' | keyof Hidden> {
  /** The rest of the task, encrypted with its data key, in base64. */
  readonly sealed: string;
}

/** The list of versions is stored among their questions, under the number that none has. */
export const HISTORY = 0;

/** The row of a task. `dataKey`: that of the task. */
export function sealTask(dataKey: Uint8Array, task: Task): TaskRow {
  const { workspace, name, id, created, changed, version, bytes, ...hidden } = task;
  const sealed = seal(dataKey, placeOf('tasks', workspace, name), Buffer.from(JSON.stringify(hidden)));
  return { id, created, changed, version, bytes, sealed: sealed.toString('base64') };
}

/** The task of a row. Throws StoreError if the row is damaged. */
export function openTask(
  dataKey: Uint8Array,
  { workspace, name }: Pick<Task, 'workspace' | 'name'>,
  { id, created, changed, version, bytes, sealed }: TaskRow,
): Task {
  const plain = unseal(dataKey, placeOf('tasks', workspace, name), Buffer.from(sealed, 'base64'));
  // Tasks of earlier versions of this program have no `shadow` or `fits`.
  const hidden = {
    shadow: null,
    fits: [],
    ...(JSON.parse(plain.toString()) as Omit<Hidden, 'shadow' | 'fits'> & Partial<Hidden>),
  };
  return { id, workspace, name, created, changed, version, bytes, ...hidden };
}

type Identified = Pick<Task, 'id'>;

/** Encrypts the questions of a version, or the list of versions. */
const sealQuestions = (dataKey: Uint8Array, { id }: Identified, version: number, questions: string): Buffer =>
  seal(dataKey, placeOf('task_versions', id, version), Buffer.from(questions));

/** Decrypts the questions of a version. Throws StoreError if they are damaged. */
export const openQuestions = (
  dataKey: Uint8Array,
  { id }: Identified,
  version: number,
  sealed: Uint8Array,
): string => unseal(dataKey, placeOf('task_versions', id, version), sealed).toString();

/** Encrypts a fit to the labels of a build, which is JSON. */
export const sealFit = (dataKey: Uint8Array, { id }: Identified, build: string, report: string): Buffer =>
  seal(dataKey, placeOf('task_fits', id, build), Buffer.from(report));

/** Decrypts a fit. Throws StoreError if it is damaged. */
export const openFit = (dataKey: Uint8Array, { id }: Identified, build: string, sealed: Uint8Array): string =>
  unseal(dataKey, placeOf('task_fits', id, build), sealed).toString();

/** Encrypts the monitor of a build. */
export const sealMonitor = (
  dataKey: Uint8Array,
  { id }: Identified,
  build: string,
  monitor: TaskMonitor,
): Buffer => seal(dataKey, placeOf('task_monitors', id, build), Buffer.from(JSON.stringify(monitor)));

/** Decrypts a monitor; undefined if another version of the program has written it. Throws StoreError if it is damaged. */
export const openMonitor = (
  dataKey: Uint8Array,
  { id }: Identified,
  build: string,
  sealed: Uint8Array,
): TaskMonitor | undefined => {
  const plain = unseal(dataKey, placeOf('task_monitors', id, build), sealed).toString();
  return TaskMonitor.from(JSON.parse(plain)) ?? undefined;
};

/** Encrypts what is counted of a shadow. */
export const sealShadow = (dataKey: Uint8Array, { id }: Identified, counted: ShadowRecord): Buffer =>
  seal(dataKey, placeOf('task_shadows', id), Buffer.from(JSON.stringify(counted)));

/** Decrypts what is counted of a shadow; null: a later version of this program has written it. Throws StoreError if it is damaged. */
export const openShadow = (
  dataKey: Uint8Array,
  { id }: Identified,
  sealed: Uint8Array,
): ShadowRecord | null =>
  shadowRecordFrom(JSON.parse(unseal(dataKey, placeOf('task_shadows', id), sealed).toString()));

/** Decrypts the list of a task's versions. Throws StoreError if it is damaged. */
export const openHistory = (dataKey: Uint8Array, task: Identified, sealed: Uint8Array): TaskVersion[] =>
  JSON.parse(openQuestions(dataKey, task, HISTORY, sealed)) as TaskVersion[];

/** What a PUT stores. */
interface SealedPut {
  readonly row: TaskRow;
  /** By their numbers: the questions of a new version, and the list of versions with it; none without a new version. */
  readonly versions: ReadonlyArray<readonly [version: number, sealed: Buffer]>;
}

/**
 * Encrypts what a PUT stores of a task.
 *
 * @param before the task so far; null: it is new
 * @param history its versions so far, oldest first
 * @param questions those of the version in use after the PUT
 */
export function sealPut(
  dataKey: Uint8Array,
  task: Task,
  before: Task | null,
  history: readonly TaskVersion[],
  questions: string,
): SealedPut {
  const { version, changed, model } = task;
  const row = sealTask(dataKey, task);
  if (!hasNewVersion(before, task)) return { row, versions: [] };
  const versions = JSON.stringify([...history, { created: changed, model }]);
  return {
    row,
    versions: [
      [HISTORY, sealQuestions(dataKey, task, HISTORY, versions)],
      [version, sealQuestions(dataKey, task, version, questions)],
    ],
  };
}
