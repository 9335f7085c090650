import type { Caller } from '../access/index.js';
import { ApiError } from '../api/index.js';
import { FairQueue, type Shares } from '../base/index.js';
import type { TaskApp } from '../http/index.js';
import type { Storage } from '../storage/index.js';
import {
  isTaskName,
  putTask,
  requireTaskName,
  type Task,
  type TaskPlace,
  taskJson,
  taskNotFound,
  taskSummary,
} from '../tasks/index.js';
import type { Engines } from './engines.js';
import { inTurn } from './queue-full.js';

/** Changes made at the same time. Those of a workspace wait for each other, and would hold connections to a database. */
export const TASK_CHANGES_MAX: Shares = { key: 1, workspace: 1, all: 2 };
/** Changes that may wait. */
export const TASK_CHANGES_WAITING_MAX: Shares = { key: 128, workspace: 256, all: 1_024 };

/** The tasks of callers. */
export class TaskService {
  private readonly changes = new FairQueue(TASK_CHANGES_MAX, TASK_CHANGES_WAITING_MAX);

  constructor(
    private readonly engines: Engines,
    private readonly storage: Pick<Storage, 'tasks'>,
  ) {}

  /** The tasks for one caller: those of its workspace. `requireLoaded` throws until the models are loaded. */
  appOf(caller: Caller, requireLoaded: () => void): TaskApp {
    const workspace = caller.workspace.id;
    return {
      put: (name, body, signal) => {
        requireTaskName(name);
        requireLoaded();
        return this.put(caller, name, body, signal);
      },
      list: async () => ({
        object: 'list',
        data: (await this.storage.tasks.list(workspace)).map(taskSummary),
      }),
      show: async (name) => this.shown(await this.existing({ workspace, name })),
      remove: async (name) => {
        const remove = () => this.storage.tasks.remove({ workspace, name });
        if (!isTaskName(name) || !(await this.change(caller, remove))) throw taskNotFound();
        return { object: 'task', name, deleted: true };
      },
    };
  }

  private async put(
    caller: Caller,
    name: string,
    { body, encoding }: Parameters<TaskApp['put']>[1],
    signal: AbortSignal,
  ): Promise<string> {
    const workspace = caller.workspace.id;
    const set = this.engines.current;
    const sent = { body, encoding, allowedModels: caller.workspace.models };
    const read = await set.use(() => set.readTask(sent, { workspace, key: caller.key.id }, signal));
    if (!read.ok) throw new ApiError(read.type, read.message);
    const { content } = read;
    const place = { workspace, name };
    const task = await this.change(caller, () =>
      this.storage.tasks.put(place, content, (before, id, now) =>
        putTask(before, { ...place, id }, content, now),
      ),
    );
    const versions = (await this.storage.tasks.versions(task)) ?? [];
    // Another call may have made a further version meanwhile.
    return taskJson(task, versions.slice(0, task.version), content.questions);
  }

  /** Makes a change in the turn of the caller. Rejects with ApiError `overloaded` if too many wait. */
  private change<Result>({ key, workspace }: Caller, make: () => Promise<Result>): Promise<Result> {
    return inTurn(this.changes, { key: key.id, workspace: workspace.id }, 'changes of tasks', make);
  }

  private async shown(task: Task): Promise<string> {
    const { tasks } = this.storage;
    const [questions, versions] = [await tasks.questions(task, task.version), await tasks.versions(task)];
    if (questions === undefined || versions === undefined) throw taskNotFound();
    return taskJson(task, versions.slice(0, task.version), questions);
  }

  /** Rejects with ApiError `task_not_found`. */
  private async existing(place: TaskPlace): Promise<Task> {
    const task = isTaskName(place.name) ? await this.storage.tasks.find(place) : undefined;
    if (task === undefined) throw taskNotFound();
    return task;
  }
}
