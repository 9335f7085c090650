// The thread that reads and changes the data folder for the operator. A change waits for the disk and for the writer thread,
// and a list reads a whole table; the main thread must do neither.
import { workerData } from 'node:worker_threads';
import { AccessError } from '../../access/index.js';
import { systemClock } from '../../base/index.js';
import { openStore, type Store, StoreError } from '../../store/index.js';
import type { TaskCall, TaskOutcome } from './messages.js';
import { TASKS } from './tasks.js';

let opened: Store | null = null;

/** Runs a task; what it changes is on the disk, and visible to the main thread, when it returns. */
export function run({ name, args, actor, now }: TaskCall): TaskOutcome {
  const clock = { ...systemClock, now: () => now };
  try {
    opened ??= openStore(workerData as string);
    const store = opened;
    store.refresh();
    const result = store.as(actor, () => TASKS[name](store, clock, args as never));
    return { kind: 'done', result };
  } catch (error) {
    if (error instanceof AccessError) {
      const { argument, problem, refusal } = error;
      return { kind: 'refused', argument, problem, refusal };
    }
    if (error instanceof StoreError) return { kind: 'unavailable', message: error.message };
    throw error;
  }
}
