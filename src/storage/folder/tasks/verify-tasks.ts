import { StoreError } from '../../../base/index.js';
import {
  answerRef,
  HISTORY,
  openAnswer,
  openExpected,
  openFit,
  openHistory,
  openMonitor,
  openQuestions,
  openShadow,
  openTask,
  type Task,
} from '../../../tasks/index.js';
import type { Store } from '../lmdb/store.js';
import type { Sealer } from '../master-key/sealer.js';

/** What was read of tasks. */
interface Verified {
  readonly tasks: number;
  readonly versions: number;
  readonly answers: number;
  readonly labels: number;
  /** The owners of their data keys. */
  readonly ids: ReadonlySet<string>;
}

/**
 * Reads every stored task: its values open with its key, it has its versions and no others, its answers are found by their
 * references, and no version belongs to a task that does not exist. The answers of a deleted task are deleted some time
 * after it. Synchronous, so that it reads one snapshot beside a server. Throws StoreError if a table cannot be read.
 */
export function verifyTasks(store: Store, sealer: Sealer, report: (problem: string) => void): Verified {
  const ids = new Set<string>();
  let [tasks, versions, answers, labels] = [0, 0, 0, 0];
  for (const { key, value: row } of store.table('tasks').entries()) {
    const [workspace, name] = key as [string, string];
    const place = `The task ${name} of ${workspace}`;
    ids.add(row.id);
    tasks += 1;
    try {
      const dataKey = sealer.dataKey(row.id);
      if (dataKey === undefined) {
        report(`${place} has no data key.`);
        continue;
      }
      const task = openTask(dataKey, { workspace, name }, row);
      versions += task.version;
      const problem = (sentence: string) => report(`${place}: ${sentence}`);
      verifyVersions(store, dataKey, task, problem);
      answers += verifyAnswers(store, dataKey, task, problem);
      labels += verifyLabels(store, dataKey, task, problem);
      for (const { key, value } of store.table('task_fits').entries(task.id)) {
        openFit(dataKey, task, key[1] as string, value);
      }
      const counted = store.table('task_shadows').get(task.id);
      if (counted !== undefined && openShadow(dataKey, task, counted) === null)
        problem('what is counted of its shadow cannot be read.');
      for (const { key, value } of store.table('task_monitors').entries(task.id)) {
        if (openMonitor(dataKey, task, key[1] as string, value) === undefined)
          problem(`what is known of the answers of ${key[1]} cannot be read.`);
      }
    } catch (error) {
      if (!(error instanceof StoreError || error instanceof SyntaxError)) throw error;
      report(`${place}: ${error.message}`);
    }
  }
  for (const [id] of store.table('task_versions').keys() as Iterable<[string]>) {
    if (!ids.has(id)) report(`task_versions ${id}: there is no such task.`);
  }
  const [kept, refs] = [store.table('task_answers'), store.table('task_refs')];
  for (const id of refs.firstParts() as Iterable<string>) {
    if (!ids.has(id) && refs.count([id]) !== kept.count([id]))
      report(
        `task_refs ${id}: references of a deleted task without their answers. A start of the server removes them.`,
      );
  }
  return { tasks, versions, answers, labels, ids };
}

function verifyVersions(store: Store, dataKey: Buffer, task: Task, report: (problem: string) => void): void {
  let bytes = 0;
  let found = 0;
  for (const { key, value } of store.table('task_versions').entries(task.id)) {
    const number = key[1] as number;
    if (number === HISTORY) {
      const listed = openHistory(dataKey, task, value).length;
      if (listed !== task.version) report(`it lists ${listed} of ${task.version} versions.`);
    } else {
      found += 1;
      bytes += Buffer.byteLength(openQuestions(dataKey, task, number, value));
    }
  }
  if (found !== task.version) report(`it has the questions of ${found} of ${task.version} versions.`);
  if (bytes !== task.bytes) report(`its questions have ${bytes} bytes, and ${task.bytes} are counted.`);
}

/** Returns their number. */
function verifyAnswers(store: Store, dataKey: Buffer, task: Task, report: (problem: string) => void): number {
  const refs = store.table('task_refs');
  let count = 0;
  for (const { key, value } of store.table('task_answers').entries(task.id)) {
    count += 1;
    const { reference } = openAnswer(dataKey, task, value);
    const isFound = refs.get(task.id, value.ref) === key[1];
    if (!isFound || answerRef(dataKey, reference) !== value.ref)
      report(`its answer ${key[1]} is not found by its reference.`);
  }
  const found = [...refs.keys(task.id)].length;
  if (found !== count) report(`it has ${count} answers, and references to ${found}.`);
  return count;
}

/** Returns their number. */
function verifyLabels(store: Store, dataKey: Buffer, task: Task, report: (problem: string) => void): number {
  let count = 0;
  for (const { key, value } of store.table('task_labels').entries(task.id)) {
    count += 1;
    const { reference } = openAnswer(dataKey, task, value);
    openExpected(dataKey, task, value);
    if (value.ref !== key[1] || answerRef(dataKey, reference) !== value.ref)
      report(`a labelled answer is stored under another reference.`);
  }
  return count;
}
