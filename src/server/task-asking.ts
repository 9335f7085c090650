import type { AskedTask } from '../decide/index.js';
import {
  fitsInForce,
  QuestionCache,
  type Task,
  type TaskAnswer,
  type TaskStore,
  taskNotFound,
} from '../tasks/index.js';
import type { Log, Metrics } from '../telemetry/index.js';
import type { TaskMonitors } from './task-monitors.js';

/** What is asked about a task, by live requests and by lines of batches, and what is kept of the answers. */
export class TaskAsking {
  private readonly cache = new QuestionCache();

  constructor(
    private readonly tasks: Pick<TaskStore, 'questions' | 'record'>,
    private readonly metrics: Metrics,
    private readonly log: Pick<Log, 'error'>,
    private readonly monitors: Pick<TaskMonitors, 'add'>,
  ) {
    for (const outcome of ['kept', 'dropped']) metrics.instruments.taskAnswers.inc({ outcome }, 0);
  }

  /** What a request about the version in use lacks. Rejects with ApiError `task_not_found` if the task was deleted. */
  async ofTask(task: Task): Promise<AskedTask> {
    const { name, version, model } = task;
    return { name, version, model, questions: await this.questions(task, version), fits: fitsInForce(task) };
  }

  /** The questions of a version, as JSON. Rejects with ApiError `task_not_found` if the task was deleted. */
  async questions(task: Pick<Task, 'id'>, version: number): Promise<string> {
    const questions = await this.find(task, version);
    if (questions === undefined) throw taskNotFound();
    return questions;
  }

  /** The same; undefined if the task was deleted. */
  async find(task: Pick<Task, 'id'>, version: number): Promise<string | undefined> {
    const known = this.cache.get(task.id, version);
    if (known !== undefined) return known;
    const questions = await this.tasks.questions(task, version);
    if (questions !== undefined) this.cache.put(task.id, version, questions);
    return questions;
  }

  /** Drops from memory what a task asked. Call it when the task was deleted. */
  forget({ id }: Pick<Task, 'id'>): void {
    this.cache.forget(id);
  }

  /** Keeps an answer, if there is room, and compares it with the labels of the fit. Never throws: the request is answered and charged. */
  keep(task: Task, answer: TaskAnswer): void {
    try {
      this.tasks.record(task, answer, this.count);
    } catch (error) {
      this.count(false);
      this.log.error({ err: error }, 'an answer to a task cannot be kept');
    }
    try {
      this.monitors.add(task, answer);
    } catch (error) {
      this.log.error({ err: error }, 'an answer to a task cannot be compared with its labels');
    }
  }

  private readonly count = (isKept: boolean): void => {
    this.metrics.instruments.taskAnswers.inc({ outcome: isKept ? 'kept' : 'dropped' });
  };
}
