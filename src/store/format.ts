import { StoreError } from './errors.js';
import { servingProcess } from './serving.js';
import { Store } from './store.js';

/** How the tables are laid out. Raise it with every change that an older server could not read. */
export const FORMAT = 1;

/** A step from one format to the next; runs in the transaction that also raises the version. */
export interface Upgrade {
  readonly from: number;
  run(store: Store): void;
}

/** One step for every format there was before. */
export const UPGRADES: readonly Upgrade[] = [];

/**
 * Opens a data folder, making it where there is none, and brings its tables to `format`, step by step, in one
 * transaction. Throws StoreError where the format is newer, or where no step leads on.
 */
export function openStore(
  folder: string,
  format: number = FORMAT,
  upgrades: readonly Upgrade[] = UPGRADES,
): Store {
  const store = new Store(folder);
  try {
    bringTo(format, upgrades, store);
    return store;
  } catch (error) {
    void store.close();
    throw error;
  }
}

function bringTo(format: number, upgrades: readonly Upgrade[], store: Store): void {
  const meta = store.table('meta');
  const found = () => meta.get('format')?.format;
  if (found() === format) return;
  store.change(() => {
    // Asked again: another process may have been faster.
    const current = found() ?? format;
    if (current > format) {
      throw new StoreError(
        `The data folder ${store.folder} has format ${current}, and this program knows ${format}: a newer one wrote it.`,
      );
    }
    const server = servingProcess(store);
    if (current < format && server !== null) {
      throw new StoreError(
        `The data folder ${store.folder} has an older format and is served by the process ${server}; stop it first.`,
      );
    }
    for (let version = current; version < format; version += 1) {
      const step = upgrades.find(({ from }) => from === version);
      if (step === undefined) {
        throw new StoreError(
          `The data folder ${store.folder} has format ${version}: no step leads from there.`,
        );
      }
      step.run(store);
    }
    meta.put(['format'], { format });
  });
}
