import { OperatorError } from '../base/index.js';
import { loadSettings, type Settings } from '../settings/index.js';
import {
  CommitUnknown,
  Database,
  type DatabaseSettings,
  DatabaseUnavailable,
  requireUsable,
  StatementError,
} from '../storage/database/index.js';
import { type Options, reportError } from './output.js';

/**
 * Runs a command on the database of the settings. An OperatorError, or a database that cannot be used, ends it with status
 * 1 and one line. `ifUnknown`: as in `useDatabase`.
 */
export function withDatabase(
  { config }: Options,
  command: (database: Database, settings: Settings) => Promise<void>,
  ifUnknown = 'Run the command again: it changes nothing twice.',
): Promise<void> {
  return reportError(async () => {
    const settings = loadSettings(process.env, config);
    const { store } = settings;
    if (store.url === '')
      throw new OperatorError('Set store.url (DECIDER_STORE_URL): this command works on a database.');
    await useDatabase(store, ifUnknown, (database) => command(database, settings));
  });
}

/**
 * Opens a database for a command. Throws OperatorError if it cannot be used. `ifUnknown`: a sentence that says what to do if
 * the database did not tell whether the command has changed something.
 */
export async function useDatabase(
  settings: DatabaseSettings,
  ifUnknown: string,
  command: (database: Database) => Promise<void>,
): Promise<void> {
  const database = new Database(settings);
  try {
    await requireUsable(database);
    await command(database);
  } catch (error) {
    if (error instanceof CommitUnknown) throw new OperatorError(`${error.message} ${ifUnknown}`);
    const isOfDatabase = error instanceof DatabaseUnavailable || error instanceof StatementError;
    throw isOfDatabase ? new OperatorError(error.message) : error;
  } finally {
    await database.close();
  }
}
