import { ApiError, LIMITS } from '../api/index.js';
import type { Task, TaskContent } from './task-types.js';

/** What is stored when a task is put. */
export interface StoredBefore {
  /** Null: there is no such task. */
  readonly task: Task | null;
  /** The questions of its version in use; null without a task. */
  readonly questions: string | null;
  /** How many other tasks the workspace has, and the bytes of their questions. */
  readonly others: { readonly count: number; readonly bytes: number };
}

/**
 * The task after a PUT. Other questions or another model make a new version, the rest does not; the same object is returned
 * if nothing changes.
 *
 * @param place whose task it is, its name, and the id that it gets if it is new
 * @param now milliseconds since 1970
 * @throws ApiError `too_many_tasks` if the workspace may have no further task, version, or bytes of versions
 */
export function putTask(
  { task, questions, others }: StoredBefore,
  place: Pick<Task, 'workspace' | 'name' | 'id'>,
  { questions: wanted, ...settings }: TaskContent,
  now: number,
): Task {
  const bytes = Buffer.byteLength(wanted);
  if (task === null) {
    if (others.count >= LIMITS.tasks) {
      throw new ApiError('too_many_tasks', `The workspace already has ${LIMITS.tasks} tasks.`);
    }
    requireBytes(others.bytes + bytes);
    return { ...place, created: now, changed: now, version: 1, bytes, ...settings, fits: [] };
  }
  if (task.model === settings.model && questions === wanted) {
    const isEqual =
      task.description === settings.description &&
      task.targetError === settings.targetError &&
      task.confidence === settings.confidence &&
      task.shadow?.model === settings.shadow?.model &&
      task.shadow?.share === settings.shadow?.share;
    return isEqual ? task : { ...task, ...settings, ...numbered(task, settings), changed: now };
  }
  if (task.version >= LIMITS.taskVersions) {
    throw new ApiError(
      'too_many_tasks',
      `The task already has ${LIMITS.taskVersions} versions. Use another name.`,
    );
  }
  requireBytes(others.bytes + task.bytes + bytes);
  // Fits are of earlier versions.
  const next = { version: task.version + 1, bytes: task.bytes + bytes, fits: [] };
  const { promotedFrom: _, ...kept } = task;
  return { ...kept, ...settings, ...numbered(task, settings), changed: now, ...next };
}

/** The number of the shadow, if the task has had none. */
const numbered = ({ shadow, shadowNumber = 0 }: Task, wanted: Pick<TaskContent, 'shadow'>) =>
  shadow === null && wanted.shadow !== null ? { shadowNumber: shadowNumber + 1 } : {};

/** Whether a task that was put has a version that `before` did not have. */
export const hasNewVersion = (before: Task | null, after: Task): boolean =>
  after.version !== (before?.version ?? 0);

function requireBytes(bytes: number): void {
  if (bytes <= LIMITS.tasksBytes) return;
  throw new ApiError(
    'too_many_tasks',
    `The questions of all versions of the workspace's tasks would have ${bytes} bytes; the limit is ${LIMITS.tasksBytes}. Delete tasks.`,
  );
}
