// The thread that reads and changes the database for the operator: a list reads a whole table, and turning it into JSON is
// work that the main thread must not do.
import { workerData } from 'node:worker_threads';
import { outcomeOf } from '../../administration/call-outcome.js';
import type { AdministrationCall, CallOutcome } from '../../administration/messages.js';
import { newestBatches } from '../batches/tables/newest.js';
import { Database, type DatabaseSettings } from '../postgres/database.js';
import { CommitUnknown, DatabaseUnavailable } from '../postgres/database-errors.js';
import { DatabaseAdministration } from './administration.js';

let opened: Database | null = null;

/** Does what a call asks; what it changes is committed when its promise resolves. */
export const run = (call: AdministrationCall): Promise<CallOutcome> =>
  outcomeOf(call, { Unavailable: DatabaseUnavailable, Unknown: CommitUnknown }, () => {
    opened ??= new Database({ ...(workerData as DatabaseSettings), connections: 1 });
    const database = opened;
    const { actor, now } = call;
    return {
      administration: new DatabaseAdministration(database, actor),
      now,
      newestBatches: (filter) => newestBatches(database, filter),
    };
  });
