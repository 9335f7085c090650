import { AccessError } from '../../access/index.js';
import type { TaskCall, TaskOutcome } from './messages.js';
import { TASKS, type TaskParts } from './tasks.js';

/**
 * Runs a task in its thread. `open` returns what the task works with. Errors of the class `Unavailable` say that the data
 * cannot be read or written now. Rejects with errors that are unexpected.
 */
export async function outcomeOf(
  { name, args }: TaskCall,
  Unavailable: abstract new (...given: never[]) => Error,
  open: () => TaskParts,
): Promise<TaskOutcome> {
  try {
    return { kind: 'done', result: await TASKS[name](open(), args as never) };
  } catch (error) {
    if (error instanceof AccessError) {
      const { argument, problem, refusal } = error;
      return { kind: 'refused', argument, problem, refusal };
    }
    if (error instanceof Unavailable) return { kind: 'unavailable', message: error.message };
    throw error;
  }
}
