import {
  type FirstLabels,
  labelsByFit,
  openMonitor,
  sealMonitor,
  type Task,
  type TaskMonitor,
} from '../../../tasks/index.js';
import type { DataKeys } from '../batches/data-keys.js';
import type { Transaction } from '../postgres/database.js';
import { guardFormat } from '../postgres/schema/format.js';
import { type Queryable, statement } from '../postgres/statement.js';

const FIND = statement(
  'task-monitor',
  `SELECT m.sealed, k.sealed AS key FROM task_monitors m JOIN data_keys k ON k.owner = m.task
   WHERE m.task = $1 AND m.build = $2`,
);
// The changes of all nodes wait for each other here.
const LOCK = statement(
  'task-monitor-lock',
  `SELECT m.sealed, k.sealed AS key FROM task_monitors m JOIN data_keys k ON k.owner = m.task
   WHERE m.task = $1 AND m.build = $2 FOR UPDATE OF m`,
);
const PUT = statement(
  'task-monitor-put',
  `INSERT INTO task_monitors (task, build, sealed) VALUES ($1, $2, $3)
   ON CONFLICT (task, build) DO UPDATE SET sealed = excluded.sealed`,
);
const CHANGE = statement(
  'task-monitor-change',
  'UPDATE task_monitors SET sealed = $3 WHERE task = $1 AND build = $2',
);

interface Found {
  readonly sealed: Buffer;
  readonly key: Buffer;
}

/** What the answers to tasks say since the last fits. */
export class DatabaseMonitors {
  constructor(private readonly keys: DataKeys) {}

  /** Undefined: there is none. Rejects with StoreError if it is damaged. */
  async find(sql: Queryable, task: Pick<Task, 'id'>, build: string): Promise<TaskMonitor | undefined> {
    const [found] = await sql.query<Found>(FIND, [task.id, build]);
    return found && openMonitor(this.keys.open(task.id, found.key), task, build, found.sealed);
  }

  /** Stores a monitor in place of the last one. */
  async put(
    sql: Transaction,
    dataKey: Uint8Array,
    task: Pick<Task, 'id'>,
    build: string,
    monitor: TaskMonitor,
  ): Promise<void> {
    await sql.execute(PUT, [task.id, build, sealMonitor(dataKey, task, build, monitor)]);
  }

  /** See `changeMonitor` of a TaskStore. */
  async change(
    sql: Transaction,
    task: Pick<Task, 'id'>,
    build: string,
    change: (monitor: TaskMonitor) => boolean,
  ): Promise<TaskMonitor | undefined> {
    await guardFormat(sql);
    const [found] = await sql.query<Found>(LOCK, [task.id, build]);
    if (found === undefined) return undefined;
    const dataKey = this.keys.open(task.id, found.key);
    const monitor = openMonitor(dataKey, task, build, found.sealed);
    if (monitor !== undefined && change(monitor))
      await sql.execute(CHANGE, [task.id, build, sealMonitor(dataKey, task, build, monitor)]);
    return monitor;
  }

  /** Adds labels to the monitors of their builds. `task`: as it is stored. */
  async addLabels(sql: Transaction, task: Task, firsts: readonly FirstLabels[]): Promise<void> {
    for (const [fit, labels] of labelsByFit(task, firsts))
      await this.change(sql, task, fit.build, (monitor) => monitor.addLabels(fit, labels));
  }
}
