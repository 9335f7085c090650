import { ApiError, isCustomId, LIMITS } from '../api/index.js';

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
