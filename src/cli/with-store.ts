import { loadSettings, reportError, type Settings } from '../server/index.js';
import { openStore, type Store } from '../store/index.js';
import type { Options } from './output.js';

/**
 * Runs a command on the tables of the settings' data folder, beside a running server or alone; a mistake of the
 * operator ends it with 1 and one line.
 */
export function withStore(
  { config }: Options,
  command: (store: Store, settings: Settings) => void | Promise<void>,
): Promise<void> {
  // A reader such as `head` may have seen enough.
  process.stdout.on('error', () => process.exit());
  return reportError(async () => {
    const settings = loadSettings(process.env, config);
    const store = openStore(settings.data);
    try {
      await command(store, settings);
    } finally {
      await store.close();
    }
  });
}
