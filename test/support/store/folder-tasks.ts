import type { Test } from 'tap';
import { SteadyClock } from '../../../src/base/index.js';
import { openStore, Sealer } from '../../../src/storage/folder/index.js';
import { FolderAccess } from '../../../src/storage/folder/ledger/folder-access.js';
import { FolderTasks } from '../../../src/storage/folder/tasks/tasks.js';
import type { Task, TaskBounds } from '../../../src/tasks/index.js';
import { TASK_BOUNDS } from '../batch/batch-tasks.js';
import { dataFolder } from '../data-folder.js';
import { fakeClock } from '../fake-clock.js';

/** The tasks of a new data folder, which keep answers, and what is below them. The calendar follows `system` as a server's does. */
export function folderTasks(t: Test, bounds: TaskBounds = TASK_BOUNDS) {
  const folder = dataFolder(t);
  const store = openStore(folder);
  const system = fakeClock(Date.parse('2026-05-10'));
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  let moved: Promise<void> = Promise.resolve();
  const clock = new SteadyClock(system, null, (ms) => {
    moved = tasks.moveTimes(ms);
  });
  const sealer = new Sealer(store, '');
  const access = new FolderAccess(store, clock, onError);
  const tasks: FolderTasks = new FolderTasks({ store, sealer, access, clock, onError });
  tasks.start(bounds);
  t.teardown(async () => {
    await tasks.stop();
    await store.close();
  });
  return {
    folder,
    store,
    system,
    clock,
    sealer,
    access,
    tasks,
    errors,
    /** Resolves when the times have moved with the last jump. */
    moved: () => moved,
    /** Keeps answers, and writes them. */
    async record(task: Task, ...references: string[]) {
      for (const reference of references) tasks.record(task, answerOf(reference));
      await access.flush();
    },
    /** Puts bytes that are no value in place of one. */
    async damage(
      name: 'tasks' | 'task_answers' | 'task_labels' | 'data_keys',
      ...parts: (string | number)[]
    ) {
      await store.write([{ table: name, key: store.table(name).key(...parts), value: Buffer.from('{') }]);
    },
  };
}

export const answerOf = (reference: string) => ({
  reference,
  version: 1,
  build: 'm-1',
  probabilities: [[0.25, 0.75]],
});

export const labelOf = (reference: string) => ({ line: 1, reference, expected: { q: 0 }, answer: null });
