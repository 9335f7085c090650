import { isCustomId } from '../../api/index.js';
import type { Task } from '../../client/index.js';
import { CallError } from '../api/error.js';
import { type AskedQuestion, askedOf } from '../ask/request.js';
import { field, indented, type JsonNode, NULL } from '../json/json-node.js';
import { readJson } from '../json/read-json.js';

/** A task as it was read, with its questions in the order sent. */
export interface LoadedTask {
  readonly task: Task;
  readonly questions: JsonNode;
  readonly asked: readonly AskedQuestion[];
}

/** Whether a task can have this name. An address would lose `.` and `..`. */
export const isTaskName = (name: string): boolean => isCustomId(name) && name !== '.' && name !== '..';

/** The path of a task. Throws CallError for a name that no task has: addresses come from anywhere. */
export function taskPath(name: string): string {
  if (isTaskName(name)) return `v1/tasks/${name}`;
  throw new CallError(404, 'task_not_found', 'The workspace has no such task.');
}

/** The task of a response. `JSON.parse` alone would change the order of names such as `10` and `9`. */
export function readTask(response: string): LoadedTask {
  const questions = field(readJson(response), 'questions') ?? NULL;
  return { task: JSON.parse(response) as Task, questions, asked: askedOf(questions) };
}

/** Whether two sets of questions are the same to the server. */
export const areEqual = (one: JsonNode, other: JsonNode): boolean => indented(one) === indented(other);

/** Whether a task has not changed between two reads. */
const isSameTask = ({ task: one }: LoadedTask, { task: other }: LoadedTask): boolean =>
  one.version === other.version && one.updated_at === other.updated_at && one.created_at === other.created_at;

/**
 * Whether a person is to be asked before a task gets a model and questions.
 *
 * @param seen the task of the question that was answered with yes; null: none was
 * @param model '': the default model
 */
export const isToAsk = (
  found: LoadedTask,
  seen: LoadedTask | null,
  model: string,
  questions: JsonNode,
): boolean =>
  !((found.task.model ?? '') === model && areEqual(found.questions, questions)) &&
  !(seen !== null && isSameTask(found, seen));
