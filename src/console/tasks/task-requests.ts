import type { Task, TaskSummary } from '../../client/index.js';
import type { Api } from '../api/call-api.js';
import { CallError } from '../api/error.js';
import { indented, type JsonNode, NULL, number, object, text } from '../json/json-node.js';
import { inTurn } from './in-turn.js';
import { type LoadedTask, readTask, taskPath } from './loaded-task.js';

const JSON_HEADERS = { 'content-type': 'application/json' };

/**
 * Called when a change has ended, also after an error: the task is read again. `changed`: the task as the call returned it,
 * which is shown at once; null after an error.
 */
export type OnChanged = (changed: LoadedTask | null) => void;

/** What a PUT sends of a task. */
export interface SentTask extends Pick<Task, 'model' | 'description' | 'target_error' | 'confidence'> {
  readonly questions: JsonNode;
  readonly shadow: Pick<NonNullable<Task['shadow']>, 'model' | 'share'> | null;
}

/** The tasks of the workspace, by name. Rejects as `Api` does. */
export async function listTasks(api: Api, signal: AbortSignal): Promise<readonly TaskSummary[]> {
  return (await api.json<{ readonly data: readonly TaskSummary[] }>('v1/tasks', { signal })).body.data;
}

/** Rejects as `Api` does. */
export async function loadTask(api: Api, name: string, signal: AbortSignal): Promise<LoadedTask> {
  return readTask(await api.text(taskPath(name), { signal }));
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

/** Makes a task or replaces what it has. Resolves with the task. Rejects as `Api` does. */
export async function putTask(api: Api, name: string, sent: SentTask): Promise<LoadedTask> {
  const { model, description, target_error, confidence, questions, shadow } = sent;
  const said = (value: string | null): JsonNode => (value === null ? NULL : text(value));
  const body = indented(
    object([
      ['questions', questions],
      ['model', said(model)],
      ['description', said(description)],
      ['target_error', number(target_error)],
      ['confidence', number(confidence)],
      ['shadow', shadow === null ? NULL : shadowNode(shadow)],
    ]),
  );
  return readTask(await api.text(taskPath(name), { method: 'PUT', body, headers: JSON_HEADERS }));
}

/** The fields of a task that change without a new version. */
type Settings = Omit<SentTask, 'model' | 'questions'>;

/**
 * Changes some fields of a task. A PUT replaces all fields: the others are sent as they are now. Resolves with the task.
 * Rejects as `Api` does; with `task_changed` if one of the fields is not what the user saw.
 *
 * @param seen the task as it was shown
 */
export function changeTask(
  api: Api,
  name: string,
  seen: Settings,
  change: Partial<Settings>,
): Promise<LoadedTask> {
  return inTurn(name, async () => {
    const { task, questions } = await loadTask(api, name, new AbortController().signal);
    const fields = Object.keys(change) as ReadonlyArray<keyof Settings>;
    if (fields.some((field) => textOf(task, field) !== textOf(seen, field)))
      throw new CallError(409, 'task_changed', `${name} has been changed meanwhile.`);
    return putTask(api, name, { ...task, questions, ...change });
  });
}

/** A field as a text that is the same for equal values. What was counted of a shadow is no part of it. */
function textOf(task: Settings, field: keyof Settings): string {
  const { shadow } = task;
  return JSON.stringify(field === 'shadow' ? shadow && [shadow.model, shadow.share] : task[field]);
}

/** What the user saw of a task before its shadow build is promoted. */
export interface SeenShadow {
  readonly version: number;
  /** The shadow build. */
  readonly model: string;
}

/** Makes the shadow build the model of a task. Resolves with the task. Rejects as `Api` does. */
export function promoteShadow(api: Api, name: string, seen: SeenShadow): Promise<LoadedTask> {
  const call = { method: 'POST' as const, body: JSON.stringify(seen), headers: JSON_HEADERS };
  return inTurn(name, async () => readTask(await api.text(`${taskPath(name)}/promote`, call)));
}

const shadowNode = ({ model, share }: NonNullable<SentTask['shadow']>): JsonNode =>
  object([
    ['model', text(model)],
    ['share', number(share)],
  ]);
