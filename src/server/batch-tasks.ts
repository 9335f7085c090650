import { ApiError, LIMITS } from '../api/index.js';
import { FairQueue, nextTurn, type Owner, type Shares } from '../base/index.js';
import type { BatchTasks, FileTask, LineAnswer, LineTask, TaskOfLine } from '../batch/index.js';
import type { Storage } from '../storage/index.js';
import { fitsInForce, type Task } from '../tasks/index.js';
import { FILES_WAITING_MAX } from './batch-files.js';
import { inTurn } from './queue-full.js';
import type { TaskAsking } from './task-asking.js';

/** Files whose tasks are read at the same time. */
export const FILE_TASKS_MAX: Shares = { key: 1, workspace: 1, all: 2 };

/** The tasks as batches use them. */
export class ServedBatchTasks implements BatchTasks {
  private readonly reading = new FairQueue(FILE_TASKS_MAX, FILES_WAITING_MAX);

  constructor(
    private readonly storage: Pick<Storage, 'tasks'>,
    private readonly asking: TaskAsking,
  ) {}

  named(owner: Owner, names: readonly string[] | null, signal: AbortSignal): Promise<readonly FileTask[]> {
    const wanted = names === null ? null : new Set(names);
    const read = async () => {
      const tasks = await this.storage.tasks.list(owner.workspace);
      return this.opened(
        tasks.filter(({ name }) => wanted === null || wanted.has(name)),
        signal,
      );
    };
    return inTurn(this.reading, owner, 'batch files', read, signal);
  }

  async ask(workspace: string, { id, name, version }: LineTask): Promise<TaskOfLine | null> {
    const { tasks } = this.storage;
    const place = { workspace, name };
    const found = await tasks.find(place);
    // The result of a line is final, and what this node knows of the task may be older than the batch.
    const task = found?.id === id ? found : await tasks.findNow(place);
    if (task?.id !== id) return null;
    const questions = await this.asking.find(task, version);
    if (questions === undefined) return null;
    const fits = fitsInForce(task).filter((fit) => fit.version === version);
    return { task, asked: { name, version, questions, fits } };
  }

  keep({ task, answer }: LineAnswer): void {
    this.asking.keep(task, answer);
  }

  /** The versions in use. A task that is deleted meanwhile is left out. */
  private async opened(tasks: readonly Task[], signal: AbortSignal): Promise<FileTask[]> {
    const found: FileTask[] = [];
    let bytes = 0;
    for (const { id, name, version, model } of tasks) {
      signal.throwIfAborted();
      const questions = await this.asking.find({ id }, version);
      if (questions === undefined) continue;
      bytes += Buffer.byteLength(questions);
      if (bytes > LIMITS.batchTasksBytes) throw tooManyQuestions();
      found.push({ id, name, version, model, questions });
      // Reading and decrypting up to 256 KiB takes about as long as a request.
      await nextTurn();
    }
    return found;
  }
}

const tooManyQuestions = () =>
  new ApiError(
    'body_too_large',
    `The questions of the tasks that the file names have more than ${LIMITS.batchTasksBytes} bytes together. Split the file.`,
  );
