import { isCustomId } from '../../api/index.js';
import type { Task, TaskSummary } from '../../client/index.js';
import type { Api } from '../api/call-api.js';
import { CallError } from '../api/error.js';
import { type AskedQuestion, askedOf } from '../ask/request.js';
import { field, indented, type JsonNode, NULL, object, text } from '../json/json-node.js';
import { readJson } from '../json/read-json.js';

/** A task as it was read, with its questions in the order sent. */
export interface LoadedTask {
  readonly task: Task;
  readonly questions: JsonNode;
  readonly asked: readonly AskedQuestion[];
}

/** What a PUT sends of a task. */
export interface SentTask extends Pick<Task, 'model' | 'description' | 'target_error' | 'confidence'> {
  readonly questions: JsonNode;
}

/** Whether a task can have this name. An address would lose `.` and `..`. */
export const isTaskName = (name: string): boolean => isCustomId(name) && name !== '.' && name !== '..';

/** The path of a task. Throws CallError for a name that no task has: addresses come from anywhere. */
export function taskPath(name: string): string {
  if (isTaskName(name)) return `v1/tasks/${name}`;
  throw new CallError(404, 'task_not_found', 'The workspace has no such task.');
}

/** The tasks of the workspace, by name. Rejects as `Api` does. */
export async function listTasks(api: Api, signal: AbortSignal): Promise<readonly TaskSummary[]> {
  return (await api.json<{ readonly data: readonly TaskSummary[] }>('v1/tasks', { signal })).body.data;
}

/** Rejects as `Api` does. */
export async function loadTask(api: Api, name: string, signal: AbortSignal): Promise<LoadedTask> {
  return readTask(await api.text(taskPath(name), signal));
}

/** The task of a response. `JSON.parse` alone would change the order of names such as `10` and `9`. */
export function readTask(response: string): LoadedTask {
  const questions = field(readJson(response), 'questions') ?? NULL;
  return { task: JSON.parse(response) as Task, questions, asked: askedOf(questions) };
}

/** The task of a name; null if there is none. Rejects as `Api` does. */
export async function findTask(api: Api, name: string): Promise<LoadedTask | null> {
  try {
    return await loadTask(api, name, new AbortController().signal);
  } catch (error) {
    if (error instanceof CallError && error.type === 'task_not_found') return null;
    throw error;
  }
}

/** Makes a task or changes it. Resolves with the task. Rejects as `Api` does. */
export async function putTask(api: Api, name: string, sent: SentTask): Promise<Task> {
  const { model, description, target_error, confidence, questions } = sent;
  const said = (value: string | null): JsonNode => (value === null ? NULL : text(value));
  const body = indented(
    object([
      ['questions', questions],
      ['model', said(model)],
      ['description', said(description)],
      ['target_error', { kind: 'literal', source: String(target_error) }],
      ['confidence', { kind: 'literal', source: String(confidence) }],
    ]),
  );
  const headers = { 'content-type': 'application/json' };
  return (await api.json<Task>(taskPath(name), { method: 'PUT', body, headers })).body;
}

/** Whether two sets of questions are the same to the server. */
export const areEqual = (one: JsonNode, other: JsonNode): boolean => indented(one) === indented(other);
