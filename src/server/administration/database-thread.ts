// The thread that reads and changes the database for the operator: a list reads a whole table, and turning it into JSON is
// work that the main thread must not do.
import { workerData } from 'node:worker_threads';
import { ClusterAdministration, newestBatches } from '../../cluster/index.js';
import { CommitUnknown, Database, type DatabaseSettings, DatabaseUnavailable } from '../../postgres/index.js';
import type { TaskCall, TaskOutcome } from './messages.js';
import { outcomeOf } from './outcome.js';

let opened: Database | null = null;

/** Runs a task; what it changes is committed when its promise resolves. */
export const run = (call: TaskCall): Promise<TaskOutcome> =>
  outcomeOf(call, { Unavailable: DatabaseUnavailable, Unknown: CommitUnknown }, () => {
    opened ??= new Database({ ...(workerData as DatabaseSettings), connections: 1 });
    const database = opened;
    const { actor, now } = call;
    return {
      administration: new ClusterAdministration(database, actor),
      now,
      newestBatches: (filter) => newestBatches(database, filter),
    };
  });
