import { ApiError, isCustomId, LIMITS } from '../api/index.js';
import type { Task } from './task-types.js';

/** Whether a task can have this name. `.` and `..` would not reach the server: clients remove them from paths. */
export const isTaskName = (name: string): boolean => isCustomId(name) && name !== '.' && name !== '..';

/** Throws ApiError `invalid_task` for a name that a task cannot have. */
export function requireTaskName(name: string): void {
  if (isTaskName(name)) return;
  throw new ApiError(
    'invalid_task',
    `The name of a task must be 1 to ${LIMITS.customIdCharacters} letters, digits, \`_\`, \`.\`, \`:\` or \`-\`, and not \`.\` or \`..\`.`,
  );
}

export const taskNotFound = (): ApiError => new ApiError('task_not_found', 'The workspace has no such task.');

/** The task has a further version, or another promise, than when the call began. */
export const taskChanged = (): ApiError =>
  new ApiError('overloaded', 'The task was changed meanwhile; try again.', { retryAfterSeconds: 1 });

type Versioned = Pick<Task, 'id' | 'version'>;

/**
 * Checks that the version in use is still the one that a call has read.
 *
 * @param current what is stored under the name of the task now; undefined: nothing
 * @throws ApiError `task_not_found` if the task was deleted, `overloaded` if it has a further version
 */
export function requireUnchanged(current: Versioned | undefined, read: Versioned): asserts current {
  if (current?.id !== read.id) throw taskNotFound();
  if (current.version !== read.version) throw taskChanged();
}
