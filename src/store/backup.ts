import { chmodSync, closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { lockFile, syncFolder, VERSION } from '../base/index.js';
import { appendTrailer, type BackupFacts } from './backup-file.js';
import { DATA_FILE, StoreError } from './data-folder.js';
import { openUnchanged } from './format.js';
import type { Store } from './store.js';

/**
 * Writes a compacted copy of the store of a data folder to `file`, beside a running server too. The copy shows one
 * moment: transactions are in it completely or not at all. The master key is not in it. `file` must not exist; it
 * appears once it is complete and on the disk, and is readable by its owner only.
 *
 * The copy is made in the folder `<file>.part`, which an interrupted backup leaves behind and the next one removes.
 *
 * @param now the time to record, in milliseconds since 1970
 * @throws StoreError
 */
export async function backUp(folder: string, file: string, now: number): Promise<BackupFacts> {
  const { store, format } = openUnchanged(folder);
  try {
    return await writeBackup(store, file, { format, created: now, version: VERSION });
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError(`The backup ${file} cannot be written: ${(error as Error).message}.`);
  } finally {
    await store.close();
  }
}

async function writeBackup(
  store: Store,
  file: string,
  facts: Pick<BackupFacts, 'format' | 'created' | 'version'>,
): Promise<BackupFacts> {
  refuseExisting(file);
  const part = `${resolve(file)}.part`;
  const unlock = lockPart(part);
  try {
    const copy = join(part, DATA_FILE);
    rmSync(copy, { force: true });
    await store.copyTo(part);
    chmodSync(copy, 0o600);
    const all = appendTrailer(copy, facts);
    refuseExisting(file);
    renameSync(copy, file);
    syncFolder(dirname(part));
    return all;
  } finally {
    rmSync(part, { recursive: true, force: true });
    unlock();
  }
}

/** Creates the folder of an unfinished backup, or takes over one that an interrupted backup left. */
function lockPart(part: string): () => void {
  if (!existsSync(part)) mkdirSync(part, { mode: 0o700 });
  const lock = join(part, 'lock');
  closeSync(openSync(lock, 'a', 0o600));
  const unlock = lockFile(lock);
  if (unlock === null) throw new StoreError(`Another process is writing this backup (${part}).`);
  return unlock;
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new StoreError(`${file} exists already. Give the backup another name.`);
}
