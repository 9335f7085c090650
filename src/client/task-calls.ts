import { requireFields } from './argument-checks.js';
import type { SignalOptions } from './batch-calls.js';
import { DeciderError } from './client-error.js';
import type {
  DeletedTask,
  Questions,
  StoredLabels,
  Task,
  TaskAnswers,
  TaskContent,
  TaskFit,
  TaskLabel,
  TaskPromotion,
  TaskState,
  TaskSummary,
} from './client-types.js';
import { bodyOfDecide } from './decide-body.js';
import { encode, requireText } from './encode.js';
import type { HttpCall, HttpCalls, ResponseInfo } from './http-calls.js';
import { requireLabelOrders } from './label-order.js';
import { type LabelPiece, labelPieces, linesOfLabels, TASK_QUESTIONS_MAX } from './label-pieces.js';

export interface LabelOptions extends SignalOptions {
  /** Called after each call: how many of the labels are stored. */
  readonly onProgress?: ((stored: StoredLabels) => void) | undefined;
}

/** The tasks of the key's workspace. Every call rejects with DeciderError, or with the reason of its signal. */
export class TaskCalls {
  constructor(private readonly calls: HttpCalls) {}

  /**
   * Makes a task, or changes it: other questions or another model make a new version.
   *
   * @param task what it has, or the same as JSON
   */
  async put(name: string, task: TaskContent | string, { signal }: SignalOptions = {}): Promise<Task> {
    const headers = { 'content-type': 'application/json' };
    const body = typeof task === 'string' ? requireText(task, 'task') : bodyOfTask(task);
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

  /**
   * Answers the questions of a task about a state. With the type of the questions, `decide<typeof questions>`, the answers
   * are typed. `info` of the response is about the HTTP exchange; its `requestId` names the answer in labels.
   */
  async decide<Asked extends Questions = Questions>(
    name: string,
    request: TaskState,
    { signal }: SignalOptions = {},
  ): Promise<TaskAnswers<Asked> & { readonly info: ResponseInfo }> {
    const { body, headers } = await bodyOfDecide(request, signal);
    const answer = await this.calls.json<TaskAnswers<Asked>>({
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
   * Says which answers were correct, in as many calls as the labels need. Labels of one call are all stored, or none. If a
   * call fails, the labels of the calls before it stay stored; `lines` of the error counts from the first label. Labels of
   * answers are sent again after a lost connection, which changes nothing; those with a state are not, because they are
   * charged.
   */
  label<Asked extends Questions = Questions>(
    name: string,
    labels: Iterable<TaskLabel<Asked>> | AsyncIterable<TaskLabel<Asked>>,
    options: LabelOptions = {},
  ): Promise<StoredLabels> {
    return this.labelLines(name, linesOfLabels(labels, options.signal), options);
  }

  /** As `label`: each as a line of JSON. None may be blank. */
  async labelLines(
    name: string,
    lines: Iterable<string> | AsyncIterable<string>,
    { onProgress, signal }: LabelOptions = {},
  ): Promise<StoredLabels> {
    const path = `${pathOf(name)}/labels`;
    let stored: StoredLabels | null = null;
    for await (const piece of labelPieces(lines, signal)) {
      const before: number = stored?.lines ?? 0;
      const answer = await this.sendLabels(path, piece, before, signal);
      stored = { ...answer, lines: before + answer.lines };
      onProgress?.(stored);
    }
    if (stored === null) throw new DeciderError('empty_batch', 'There are no labels.');
    return stored;
  }

  /** Fits a task to its labels, and puts its thresholds in force. */
  fit(name: string, { signal }: SignalOptions = {}): Promise<TaskFit> {
    const path = `${pathOf(name)}/fit`;
    return this.json({ path, method: 'POST', repeatable: 'always', has: 'questions', signal });
  }

  /**
   * Makes the shadow build of a task its model, as a new version without a shadow. After a lost connection it is not sent again:
   * the task shows whether it was made.
   *
   * @param expected refuses the call unless this version is in use and this build is the shadow build
   */
  async promote(name: string, expected: TaskPromotion = {}, { signal }: SignalOptions = {}): Promise<Task> {
    return this.json({
      path: `${pathOf(name)}/promote`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: encode(expected, ''),
      repeatable: 'unanswered',
      signal,
    });
  }

  /** Deletes a task with everything that is known about its answers. */
  delete(name: string, { signal }: SignalOptions = {}): Promise<DeletedTask> {
    return this.json({ path: pathOf(name), method: 'DELETE', repeatable: 'unanswered', signal });
  }

  /** Sends a piece of the labels. `before`: how many labels precede it. */
  private async sendLabels(
    path: string,
    { body, states }: LabelPiece,
    before: number,
    signal: AbortSignal | undefined,
  ): Promise<StoredLabels> {
    const headers = { 'content-type': 'application/jsonl' };
    const repeatable = states > 0 ? 'unanswered' : 'always';
    // As many as a task can have: its questions are not known here.
    const prompts = states * TASK_QUESTIONS_MAX;
    try {
      return await this.json({
        path,
        method: 'POST',
        headers,
        body,
        repeatable,
        has: 'labels',
        signal,
        prompts,
      });
    } catch (error) {
      throw error instanceof DeciderError && before > 0 ? error.after(before) : error;
    }
  }

  private async json<Body>({ path, ...call }: HttpCall): Promise<Body> {
    return (await this.calls.json<Body>({ has: 'name', ...call, path: `v1/tasks${path}` })).body;
  }
}

function bodyOfTask(task: TaskContent): string {
  requireFields(task, 'task');
  requireLabelOrders(task.questions, 'questions');
  return encode(task, '');
}

/** Throws TypeError for a name that no task has: URLs lose `.` and `..`. */
function pathOf(name: string): string {
  if (/^[A-Za-z0-9_.:-]{1,64}$/.test(name) && name !== '.' && name !== '..') return `/${name}`;
  throw new TypeError('name: must be 1 to 64 letters, digits, `_`, `.`, `:` or `-`, and not `.` or `..`.');
}
