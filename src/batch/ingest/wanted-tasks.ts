import { ApiError, LIMITS } from '../../api/index.js';
import { openBody } from '../../decide/index.js';
import { isTaskName } from '../../tasks/index.js';
import { partsOf } from './check-batch-file.js';
import type { FileTurns } from './file-turns.js';

/** A file cannot be checked before the tasks that it names have been read. */
export class TasksWanted extends Error {
  override readonly name = 'TasksWanted';

  /** @param names each once; null: more than a workspace can have, so that all of its tasks are needed */
  constructor(readonly names: readonly string[] | null) {
    super('the file names tasks');
  }
}

/** The same between threads, where errors lose their class. */
export interface WantedNames {
  readonly wanted: TasksWanted['names'];
}

/**
 * The names of tasks in a file, each once; null if they are more than a workspace can have tasks. Lines that cannot be read
 * name none. Rejects with Refusal if the client has disconnected.
 */
export async function namesOfTasks(file: Buffer, turns: FileTurns): Promise<readonly string[] | null> {
  const names = new Set<string>();
  for (const part of partsOf(file)) {
    await turns.cut(() => {
      for (const { bytes } of part) {
        const name = taskNamed(bytes);
        if (name !== null) names.add(name);
      }
    });
    turns.requireClient();
    if (names.size > LIMITS.tasks) return null;
  }
  return [...names];
}

/** Null: the line names no task, or one that cannot exist. */
function taskNamed(bytes: Buffer): string | null {
  try {
    const { task } = openBody(bytes, [], 'line').fields;
    return typeof task === 'string' && isTaskName(task) ? task : null;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
