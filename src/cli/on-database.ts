import { type Administration, commandActor } from '../access/index.js';
import { type Clock, systemClock } from '../base/index.js';
import type { Settings } from '../settings/index.js';
import { DatabaseAdministration, requireFormat, startCalendar, timeOf } from '../storage/database/index.js';
import { useDatabase } from './with-database.js';

/** Runs an administrative command on the database of the settings, with its clock. Throws OperatorError. */
export const onDatabase = (
  { store }: Pick<Settings, 'store'>,
  command: (administration: Administration, clock: Clock) => Promise<void>,
): Promise<void> =>
  useDatabase(store, 'Look at decider audit before you run the command again.', async (database) => {
    await requireFormat(database);
    const ahead = timeOf(await startCalendar(database, systemClock)) - systemClock.monotonic();
    const clock = { ...systemClock, now: () => Math.round(systemClock.monotonic() + ahead) };
    await command(new DatabaseAdministration(database, commandActor()), clock);
  });
