import { showBytes, showInstant, showTime, systemClock } from '../base/index.js';
import { loadSettings } from '../settings/index.js';
import { type BackupFacts, backUp, FORMAT, restore as restoreBackup } from '../storage/folder/index.js';
import { type Options, print, printJson, reportError } from './output.js';
import { refuseDatabase, requireStore } from './with-store.js';

/** `decider backup` */
export const backup = (file: string, options: Options) =>
  reportError(async () => {
    const settings = loadSettings(process.env, options.config);
    refuseDatabase(settings, 'Back it up with the tools of PostgreSQL, such as pg_dump.');
    const { data } = settings;
    requireStore(data);
    const facts = await backUp(data, file, systemClock.now());
    if (options.json) return printJson(rowOf(file, facts));
    print(`${file}: ${showBytes(facts.bytes)}. The master key is not in it.`);
  });

/** `decider restore` */
export const restore = (file: string, options: Options) =>
  reportError(() => {
    const settings = loadSettings(process.env, options.config);
    refuseDatabase(
      settings,
      'Restore a backup of it with the tools of PostgreSQL, such as pg_restore. A backup of a data folder can be restored without store.url and then copied: decider store move --to database',
    );
    const { data } = settings;
    const facts = restoreBackup(data, file);
    if (options.json) return printJson(rowOf(file, facts));
    print(`${data} has the state of ${showTime(facts.created)}.`);
    print('Put the master key of that time into it, or configure it.');
    print(
      facts.format < FORMAT
        ? `The backup has the older format ${facts.format}: the next start of the server upgrades it. Then run: decider verify`
        : 'Then run: decider verify',
    );
  });

const rowOf = (file: string, { format, created, version, bytes }: BackupFacts) => ({
  file,
  bytes,
  format,
  created: showInstant(created),
  version,
});
