import type { SignalOptions } from './batch-calls.js';
import type {
  DeletedTask,
  StoredLabels,
  Task,
  TaskAnswers,
  TaskContent,
  TaskFit,
  TaskLabel,
  TaskState,
  TaskSummary,
} from './client-types.js';
import { bodyOfDecide } from './decide-body.js';
import type { HttpCall, HttpCalls, ResponseInfo } from './http-calls.js';

/** The tasks of the key's workspace. Every call rejects with DeciderError, or with the reason of its signal. */
export class TaskCalls {
  constructor(private readonly calls: HttpCalls) {}

  /** Makes a task, or changes it: other questions or another model make a new version. */
  put(name: string, task: TaskContent, { signal }: SignalOptions = {}): Promise<Task> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(task);
    return this.json({ path: pathOf(name), method: 'PUT', headers, body, repeatable: 'always', signal });
  }

  /** All tasks, by name, without their questions. */
  async list({ signal }: SignalOptions = {}): Promise<TaskSummary[]> {
    const list = await this.json<{ readonly data: TaskSummary[] }>({
      path: '',
      repeatable: 'always',
      has: 'data',
      signal,
    });
    return list.data;
  }

  show(name: string, { signal }: SignalOptions = {}): Promise<Task> {
    return this.json({ path: pathOf(name), repeatable: 'always', signal });
  }

  /** Answers the questions of a task about a state. `info` of the response is about the HTTP exchange. */
  async decide(
    name: string,
    request: TaskState,
    { signal }: SignalOptions = {},
  ): Promise<TaskAnswers & { readonly info: ResponseInfo }> {
    const { body, headers } = await bodyOfDecide(request);
    const answer = await this.calls.json<TaskAnswers>({
      path: `v1/tasks${pathOf(name)}/decide`,
      method: 'POST',
      body,
      headers,
      repeatable: 'unanswered',
      has: 'answers',
      signal,
    });
    return { ...answer.body, info: answer.info };
  }

  /**
   * Says which answers were correct: at most 1,000 in a call, all of which are stored, or none. Labels of answers are sent
   * again after a lost connection, which changes nothing; those with a state are not, because they are charged.
   */
  label(name: string, labels: readonly TaskLabel[], { signal }: SignalOptions = {}): Promise<StoredLabels> {
    return this.json({
      path: `${pathOf(name)}/labels`,
      method: 'POST',
      headers: { 'content-type': 'application/jsonl' },
      body: labels.map((label) => `${JSON.stringify(label)}\n`).join(''),
      repeatable: labels.some((label) => 'state' in label) ? 'unanswered' : 'always',
      has: 'labels',
      signal,
    });
  }

  /** Fits a task to its labels, and puts its thresholds in force. */
  fit(name: string, { signal }: SignalOptions = {}): Promise<TaskFit> {
    const path = `${pathOf(name)}/fit`;
    return this.json({ path, method: 'POST', repeatable: 'always', has: 'questions', signal });
  }

  /** Deletes a task with everything that is known about its answers. */
  delete(name: string, { signal }: SignalOptions = {}): Promise<DeletedTask> {
    return this.json({ path: pathOf(name), method: 'DELETE', repeatable: 'unanswered', signal });
  }

  private async json<Body>({ path, ...call }: HttpCall): Promise<Body> {
    return (await this.calls.json<Body>({ has: 'name', ...call, path: `v1/tasks${path}` })).body;
  }
}

/** Throws TypeError for a name that no task has: URLs lose `.` and `..`. */
function pathOf(name: string): string {
  if (/^[A-Za-z0-9_.:-]{1,64}$/.test(name) && name !== '.' && name !== '..') return `/${name}`;
  throw new TypeError('name: must be 1 to 64 letters, digits, `_`, `.`, `:` or `-`, and not `.` or `..`.');
}
