import { AccessError } from '../../access/index.js';
import type { TaskCall, TaskOutcome } from './messages.js';
import { TASKS, type TaskParts } from './tasks.js';

type ErrorClass = abstract new (...given: never[]) => Error;

/** The errors of a place of data. */
interface PlaceErrors {
  /** The data cannot be read or written now. Nothing was changed. */
  readonly Unavailable: ErrorClass;
  /** Those of them after which a change may have been made; null: there are none. */
  readonly Unknown: ErrorClass | null;
}

/** Runs a task in its thread. `open` returns what the task works with. Rejects with errors that are unexpected. */
export async function outcomeOf(
  { name, args }: TaskCall,
  { Unavailable, Unknown }: PlaceErrors,
  open: () => TaskParts,
): Promise<TaskOutcome> {
  try {
    return { kind: 'done', result: await TASKS[name](open(), args as never) };
  } catch (error) {
    if (error instanceof AccessError) {
      const { argument, problem, refusal } = error;
      return { kind: 'refused', argument, problem, refusal };
    }
    if (Unknown !== null && error instanceof Unknown) return { kind: 'unknown', message: error.message };
    if (error instanceof Unavailable) return { kind: 'unavailable', message: error.message };
    throw error;
  }
}
