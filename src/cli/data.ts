import { showBytes, showInstant, systemClock } from '../base/index.js';
import { loadSettings } from '../settings/index.js';
import { type BackupFacts, backUp, restore as restoreBackup } from '../store/index.js';
import { type Options, print, printJson, reportError } from './output.js';
import { requireStore } from './with-store.js';

/** `decider backup` */
export const backup = (file: string, options: Options) =>
  reportError(async () => {
    const { data } = loadSettings(process.env, options.config);
    requireStore(data);
    const facts = await backUp(data, file, systemClock.now());
    if (options.json) return printJson(rowOf(file, facts));
    print(`${file}: ${showBytes(facts.bytes)}. The master key is not in it.`);
  });

/** `decider restore` */
export const restore = (file: string, options: Options) =>
  reportError(() => {
    const { data } = loadSettings(process.env, options.config);
    const facts = restoreBackup(data, file);
    if (options.json) return printJson(rowOf(file, facts));
    print(`${data} has the state of ${showInstant(facts.created)}.`);
    print('Put the master key of that time into it, or configure it. Then run: decider verify');
  });

const rowOf = (file: string, { format, created, version, bytes }: BackupFacts) => ({
  file,
  bytes,
  format,
  created: showInstant(created),
  version,
});
