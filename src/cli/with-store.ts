import { type Administration, StoredAdministration } from '../access/index.js';
import { type Clock, FOLLOWED_MS, systemClock } from '../base/index.js';
import { loadSettings, type Settings } from '../settings/index.js';
import {
  KEEP_TIME_EVERY_MS,
  openStore,
  openToRead,
  readKeptTime,
  type Store,
  StoreError,
  servingProcess,
  storeExists,
} from '../store/index.js';
import type { Options } from './output.js';
import { reportError } from './output.js';

/** What a command may do beyond reading and changing an existing data folder, or less. */
interface StoreAccess {
  readonly mayCreate?: boolean;
  readonly readOnly?: boolean;
}

/**
 * Runs a command on the data folder of the settings, alone or beside a running server, with `commandClock`. An
 * OperatorError ends it with status 1 and one line. A missing folder is such an error, unless the command may create it.
 * `readOnly`: nothing is written.
 */
export function withStore(
  { config }: Options,
  command: (store: Store, settings: Settings, clock: Clock) => void | Promise<void>,
  { mayCreate = false, readOnly = false }: StoreAccess = {},
): Promise<void> {
  return reportError(async () => {
    const settings = loadSettings(process.env, config);
    if (!mayCreate) requireStore(settings.data);
    const store = readOnly ? openToRead(settings.data) : openStore(settings.data);
    try {
      await command(store, settings, commandClock(store));
    } finally {
      await store.close();
    }
  });
}

/** Runs an administrative command on the data of the settings. The rest is as in `withStore`. */
export const withAdministration = (
  options: Options,
  command: (administration: Administration, settings: Settings, clock: Clock) => Promise<void>,
  access?: StoreAccess,
): Promise<void> =>
  withStore(
    options,
    (store, settings, clock) => command(new StoredAdministration(store, clock), settings, clock),
    access,
  );

/** Throws StoreError if the data folder has no store. */
export function requireStore(data: string): void {
  if (storeExists(data)) return;
  throw new StoreError(
    `The data folder ${data} is empty. Start the server once to create it, or set data (DECIDER_DATA).`,
  );
}

/**
 * The clock of a command that changes a data folder: the system's, unless a server serves the folder and its calendar is
 * far from the system clock. Then the command continues the server's calendar.
 */
function commandClock(store: Store, system: Clock = systemClock): Clock {
  const kept = readKeptTime(store);
  if (kept === null || servingProcess(store.folder) === null) return system;
  const now = system.now();
  if (now >= kept.shown - FOLLOWED_MS && now <= kept.shown + KEEP_TIME_EVERY_MS * 2) return system;
  const started = system.monotonic();
  return { ...system, now: () => Math.round(kept.shown + system.monotonic() - started) };
}
