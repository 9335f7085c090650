import { StoreError } from './data-folder.js';
import { createStore } from './environment.js';
import { isServedHere, serveAlone, servingProcess } from './serving.js';
import { Store } from './store.js';

/** The version of the tables' format. Increase it with every change that an older server could not read. */
export const FORMAT = 1;

/** A step from one format to the next. Runs in the transaction that also sets the new version. */
export interface Upgrade {
  readonly from: number;
  run(store: Store): void;
}

/** One step for each earlier format. */
const UPGRADES: readonly Upgrade[] = [];

/**
 * Opens a data folder, creating it if necessary, and upgrades its tables to `format` in one transaction. Throws StoreError
 * if the format is newer, or if a step is missing.
 */
export function openStore(
  folder: string,
  format: number = FORMAT,
  upgrades: readonly Upgrade[] = UPGRADES,
): Store {
  const store = new Store(folder);
  try {
    // Checked again inside the transaction: another process may be upgrading it now.
    if (formatOf(store) !== format) store.change(() => upgrade(store, format, upgrades));
    return store;
  } catch (error) {
    void store.close();
    throw error;
  }
}

/** Opens an existing data folder without upgrading it, to copy or read it. Throws StoreError if its format is newer. */
export function openUnchanged(folder: string): { readonly store: Store; readonly format: number } {
  const store = new Store(folder);
  try {
    const format = formatOf(store) ?? FORMAT;
    if (format > FORMAT) throw newerFormat(folder, format, FORMAT);
    return { store, format };
  } catch (error) {
    void store.close();
    throw error;
  }
}

/** Opens an existing data folder of the current format. Changes nothing. Throws StoreError for another format. */
export function openToRead(folder: string): Store {
  const { store, format } = openUnchanged(folder);
  if (format === FORMAT) return store;
  void store.close();
  throw new StoreError(
    `The data folder ${folder} has the older format ${format}, and this program reads ${FORMAT}. Use the version that wrote it, or upgrade the folder: the next start of the server does.`,
  );
}

/**
 * Opens a data folder for the one process that serves it. The lock is taken before LMDB is opened and released by
 * `leave`, which must be called after the store is closed: two containers never have one environment open (see
 * `refuseOtherContainer`). Throws StoreError.
 */
export function serveStore(folder: string): { readonly store: Store; readonly leave: () => void } {
  createStore(folder);
  const leave = serveAlone(folder);
  try {
    return { store: openStore(folder), leave };
  } catch (error) {
    leave();
    throw error;
  }
}

function upgrade(store: Store, format: number, upgrades: readonly Upgrade[]): void {
  const found = formatOf(store) ?? format;
  if (found > format) throw newerFormat(store.folder, found, format);
  const server = isServedHere(store.folder) ? null : servingProcess(store.folder);
  if (found < format && server !== null) {
    throw new StoreError(
      `The data folder ${store.folder} has the older format ${found} and is served by ${server}. Stop that process first.`,
    );
  }
  for (let version = found; version < format; version += 1) {
    const step = upgrades.find(({ from }) => from === version);
    if (step === undefined) {
      throw new StoreError(
        `The data folder ${store.folder} has format ${version}, which this program cannot upgrade.`,
      );
    }
    step.run(store);
  }
  store.table('meta').put(['format'], { format });
}

const newerFormat = (folder: string, found: number, format: number): StoreError =>
  new StoreError(
    `The data folder ${folder} has format ${found}, and this program supports ${format}: a newer version wrote it. Install that version.`,
  );

const formatOf = (store: Store) => store.table('meta').get('format')?.format;
