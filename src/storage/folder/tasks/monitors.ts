import {
  type FirstLabels,
  labelsByFit,
  openMonitor,
  sealMonitor,
  type Task,
  type TaskMonitor,
} from '../../../tasks/index.js';
import type { Store } from '../lmdb/store.js';
import type { RawWrite } from '../lmdb/writes.js';

/** What the answers to tasks say since the last fits. */
export class FolderMonitors {
  constructor(private readonly store: Store) {}

  /** Undefined: there is none. Throws StoreError if it is damaged. */
  get(dataKey: Buffer, task: Pick<Task, 'id'>, build: string): TaskMonitor | undefined {
    const sealed = this.store.table('task_monitors').get(task.id, build);
    return sealed && openMonitor(dataKey, task, build, sealed);
  }

  write(dataKey: Buffer, task: Pick<Task, 'id'>, build: string, monitor: TaskMonitor): RawWrite {
    const sealed = sealMonitor(dataKey, task, build, monitor);
    return this.store.table('task_monitors').write([task.id, build], sealed);
  }

  /** The writes that add labels to the monitors of their builds. `task`: as it is stored. */
  writesOf(dataKey: Buffer, task: Task, firsts: readonly FirstLabels[]): RawWrite[] {
    return labelsByFit(task, firsts).flatMap(([fit, labels]) => {
      const monitor = this.get(dataKey, task, fit.build);
      if (!monitor?.addLabels(fit, labels)) return [];
      return [this.write(dataKey, task, fit.build, monitor)];
    });
  }
}
