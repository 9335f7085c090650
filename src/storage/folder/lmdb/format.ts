import { StoreError } from '../../../base/index.js';
import { dataFileOf } from '../../data-folder/data-folder.js';
import { serveAlone } from '../../data-folder/serving.js';
import { damaged } from './data-file.js';
import { createStore } from './environment.js';
import { Store } from './store.js';
import { formatOf, removeLeftovers, type UpgradeTo, upgradeStore } from './upgrade.js';
import { UPGRADES } from './upgrades.js';

/** The version of the tables' format. Increase it with every change that an older server could not read. */
export const FORMAT = 4;

/**
 * Opens a data folder of `format`, creating it if necessary. Throws StoreError for another format: the server upgrades an
 * older one, and a newer one is never read.
 */
export function openStore(folder: string, format: number = FORMAT): Store {
  return opened(folder, (store) => requireFormat(store, format));
}

/**
 * Opens an existing data folder without upgrading it, to copy or read it. Throws StoreError if its format is newer, or
 * with `mustBeComplete` if it has not all tables.
 */
export function openUnchanged(
  folder: string,
  mustBeComplete = false,
): { readonly store: Store; readonly format: number } {
  const use = (store: Store) => {
    const format = existingFormat(store) ?? FORMAT;
    if (format > FORMAT) throw newerFormat(folder, format, FORMAT);
    return { store, format };
  };
  return opened(folder, use, mustBeComplete);
}

/** Opens an existing data folder of the current format. Changes nothing. Throws StoreError for another format. */
export function openToRead(folder: string): Store {
  const { store, format } = openUnchanged(folder, true);
  if (format === FORMAT) return store;
  void store.close();
  throw olderFormat(folder, format, FORMAT);
}

/**
 * Opens a data folder for the one process that serves it, creating it if necessary, and upgrades an older format: see
 * `upgradeStore`. `check` verifies the upgraded copy. The lock is taken before LMDB is opened and released by `leave`,
 * which must be called after the store is closed: two containers never have one environment open (see
 * `refuseOtherContainer`). Throws StoreError.
 */
export function serveStore(
  folder: string,
  check: UpgradeTo['check'],
  { format = FORMAT, steps = UPGRADES }: Partial<Omit<UpgradeTo, 'check'>> = {},
): { readonly store: Store; readonly leave: () => void } {
  createStore(folder);
  const leave = serveAlone(folder);
  try {
    removeLeftovers(folder);
    const store = opened(folder, (each) => {
      if ((existingFormat(each) ?? format) < format) upgradeStore(each, { format, steps, check });
      return requireFormat(each, format);
    });
    return { store, leave };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Returns the store, a new one with `format`. Throws StoreError if it has another format. */
function requireFormat(store: Store, format: number): Store {
  if (existingFormat(store) === undefined) {
    // Checked again inside the transaction: another process may be doing the same.
    store.change(() => {
      if (formatOf(store) === undefined) store.table('meta').put(['format'], { format });
    });
  }
  refuseOther(store, format);
  store.beginChanges(() => refuseOther(store, format));
  return store;
}

function refuseOther(store: Store, format: number): void {
  const found = formatOf(store) as number;
  if (found > format) throw newerFormat(store.folder, found, format);
  if (found < format) throw olderFormat(store.folder, found, format);
}

/** The format of a store; undefined for a new one. Throws StoreError if it is lost: it is written before everything else. */
function existingFormat(store: Store): number | undefined {
  const format = formatOf(store);
  if (format === undefined && store.hasData())
    throw damaged(dataFileOf(store.folder), 'the number of its format is lost');
  return format;
}

/** Closes the store if `use` throws. */
function opened<Result>(folder: string, use: (store: Store) => Result, mustBeComplete = false): Result {
  const store = new Store(folder, mustBeComplete);
  try {
    return use(store);
  } catch (error) {
    void store.close();
    throw error;
  }
}

const newerFormat = (folder: string, found: number, format: number): StoreError =>
  new StoreError(
    `The data folder ${folder} has format ${found}, and this program supports ${format}: a newer version wrote it. Install that version.`,
  );

const olderFormat = (folder: string, found: number, format: number): StoreError =>
  new StoreError(
    `The data folder ${folder} has the older format ${found}, and this program reads ${format}. Use the version that wrote it, or start the server, which upgrades the folder.`,
  );
