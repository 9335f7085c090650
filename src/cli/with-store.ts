import type { Clock } from '../base/index.js';
import { commandClock, loadSettings, reportError, type Settings } from '../server/index.js';
import { openStore, type Store, StoreError, storeExists } from '../store/index.js';
import type { Options } from './output.js';

/**
 * Runs a command on the tables of the settings' data folder, beside a running server or alone; a mistake of the
 * operator ends it with 1 and one line. Its clock is that of the server, where one serves the folder. A folder that is not there is one, unless the command `mayMake` it.
 */
export function withStore(
  { config }: Options,
  command: (store: Store, settings: Settings, clock: Clock) => void | Promise<void>,
  { mayMake = false } = {},
): Promise<void> {
  return reportError(async () => {
    const settings = loadSettings(process.env, config);
    if (!mayMake && !storeExists(settings.data)) {
      throw new StoreError(
        `There is nothing in the data folder ${settings.data} yet; the first start makes it.`,
      );
    }
    const store = openStore(settings.data);
    try {
      await command(store, settings, commandClock(store));
    } finally {
      await store.close();
    }
  });
}
