// The thread that reads and changes the data folder for the operator. A change waits for the disk and for the writer thread,
// and a list reads a whole table; the main thread must do neither.
import { workerData } from 'node:worker_threads';
import { StoreError, systemClock } from '../../../base/index.js';
import { outcomeOf } from '../../administration/call-outcome.js';
import type { AdministrationCall, CallOutcome } from '../../administration/messages.js';
import { newestBatches } from '../batches/newest.js';
import { openStore } from '../lmdb/format.js';
import type { Store } from '../lmdb/store.js';
import { FolderAdministration } from './administration.js';

let opened: Store | null = null;

/** Does what a call asks; what it changes is on the disk, and visible to the main thread, when its promise resolves. */
export const run = (call: AdministrationCall): Promise<CallOutcome> =>
  outcomeOf(call, { Unavailable: StoreError, Unknown: null }, () => {
    opened ??= openStore(workerData as string);
    const store = opened;
    store.refresh();
    const { actor, now } = call;
    return {
      administration: new FolderAdministration(store, { ...systemClock, now: () => now }, actor),
      now,
      newestBatches: async (filter) => newestBatches(store, filter),
    };
  });
