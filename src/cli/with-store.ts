import type { Administration } from '../access/index.js';
import { type Clock, FOLLOWED_MS, OperatorError, StoreError, systemClock } from '../base/index.js';
import { loadSettings, type Settings } from '../settings/index.js';
import {
  FolderAdministration,
  KEEP_TIME_EVERY_MS,
  openStore,
  openToRead,
  readKeptTime,
  type Store,
} from '../storage/folder/index.js';
import { servingProcess, storeExists } from '../storage/index.js';
import { type Options, reportError } from './output.js';

/** What a command may do beyond reading and changing an existing data folder, or less. */
interface StoreAccess {
  readonly mayCreate?: boolean;
  readonly readOnly?: boolean;
}

/**
 * Runs a command on the data folder of the settings, alone or beside a running server, with `commandClock`. An
 * OperatorError ends it with status 1 and one line. A missing folder is such an error, unless the command may create it,
 * and so is a database in its place. `instead`: what to do then. `readOnly`: nothing is written.
 */
export function withStore(
  { config }: Options,
  instead: string,
  command: (store: Store, settings: Settings, clock: Clock) => void | Promise<void>,
  access: StoreAccess = {},
): Promise<void> {
  return reportError(async () => {
    const settings = loadSettings(process.env, config);
    refuseDatabase(settings, instead);
    await onStore(settings, (store, clock) => command(store, settings, clock), access);
  });
}

/** Runs an administrative command on the data of the settings, in a data folder or a database. The rest is as in `withStore`. */
export function withAdministration(
  { config }: Options,
  command: (administration: Administration, settings: Settings, clock: Clock) => Promise<void>,
  access: StoreAccess = {},
): Promise<void> {
  return reportError(async () => {
    const settings = loadSettings(process.env, config);
    if (settings.store.url !== '') {
      // Loaded only here: most of it is of no use without a database.
      const { onDatabase } = await import('./on-database.js');
      await onDatabase(settings, (administration, clock) => command(administration, settings, clock));
      return;
    }
    const onFolder = (store: Store, clock: Clock) =>
      command(new FolderAdministration(store, clock), settings, clock);
    await onStore(settings, onFolder, access);
  });
}

/** Throws OperatorError if the data is in a database. `instead`: what to do then, in sentences. */
export function refuseDatabase({ store }: Pick<Settings, 'store'>, instead: string): void {
  if (store.url === '') return;
  throw new OperatorError(`The data is in the database of store.url, not in a data folder. ${instead}`);
}

async function onStore(
  { data }: Settings,
  command: (store: Store, clock: Clock) => void | Promise<void>,
  { mayCreate = false, readOnly = false }: StoreAccess,
): Promise<void> {
  if (!mayCreate) requireStore(data);
  const store = readOnly ? openToRead(data) : openStore(data);
  try {
    await command(store, commandClock(store));
  } finally {
    await store.close();
  }
}

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
