import { migrate as migrateDatabase } from '../storage/database/index.js';
import { type Options, print, printJson } from './output.js';
import { withDatabase } from './with-database.js';

/** `decider store migrate` */
export const migrate = (options: Options) =>
  withDatabase(options, async (database) => {
    const migrated = await migrateDatabase(database);
    if (options.json) return printJson(migrated);
    const { from, to } = migrated;
    if (from === 0) print(`The tables were created, with format ${to}.`);
    else if (from === to) print(`The tables have format ${to} already. Nothing was changed.`);
    else print(`The tables were updated from format ${from} to format ${to}.`);
  });
