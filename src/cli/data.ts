import { showBytes, systemClock } from '../base/index.js';
import { loadSettings } from '../settings/index.js';
import {
  type BackupFacts,
  backUp,
  rekey as changeMasterKey,
  restore as restoreBackup,
} from '../store/index.js';
import { type Options, print, printJson, reportError, showInstant } from './output.js';
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

/** `decider rekey` */
export const rekey = (options: Options & { readonly newKey?: string }) =>
  reportError(async () => {
    const { data, master_key: given } = loadSettings(process.env, options.config);
    requireStore(data);
    const { dataKeys, earlier } = await changeMasterKey(data, given, options.newKey ?? null);
    if (options.json) return printJson({ data_keys: dataKeys, earlier_key: earlier });
    print(
      dataKeys === null
        ? 'An earlier run had encrypted the data keys with the new master key.'
        : `Data keys encrypted with the new master key: ${dataKeys}.`,
    );
    print(
      earlier === null
        ? 'Configure the new master key (master_key) before the next start. Keep the earlier one for earlier backups.'
        : `Keep ${earlier} for earlier backups, and back up the new master.key.`,
    );
  });

const rowOf = (file: string, { format, created, version, bytes }: BackupFacts) => ({
  file,
  bytes,
  format,
  created: showInstant(created),
  version,
});
