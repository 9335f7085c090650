import type { Administration } from '../access/index.js';
import { type Clock, systemClock } from '../base/index.js';
import { ClusterAdministration } from '../cluster/index.js';
import { databaseNow, requireFormat } from '../postgres/index.js';
import type { Settings } from '../settings/index.js';
import { commandActor } from '../store/index.js';
import { useDatabase } from './with-database.js';

/** Runs an administrative command on the database of the settings, with its clock. Throws OperatorError. */
export const onDatabase = (
  { store }: Pick<Settings, 'store'>,
  command: (administration: Administration, clock: Clock) => Promise<void>,
): Promise<void> =>
  useDatabase(store, async (database) => {
    await requireFormat(database);
    const ahead = (await databaseNow(database)) - systemClock.monotonic();
    const clock = { ...systemClock, now: () => Math.round(systemClock.monotonic() + ahead) };
    await command(new ClusterAdministration(database, commandActor()), clock);
  });
