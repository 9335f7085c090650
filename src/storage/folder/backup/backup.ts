import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { lockFile, OperatorError, StoreError, syncFolder, VERSION } from '../../../base/index.js';
import { DATA_FILE } from '../../data-folder/data-folder.js';
import { openUnchanged } from '../lmdb/format.js';
import type { Store } from '../lmdb/store.js';
import { appendTrailer, type BackupFacts } from './backup-file.js';

/**
 * Writes a compacted copy of the store of a data folder to `file`, beside a running server too. The copy shows one
 * moment: transactions are in it completely or not at all. The master key is not in it. `file` must not exist; it
 * appears once it is complete and on the disk, and is readable by its owner only.
 *
 * The copy is made in the folder `<file>.part`, which an interrupted backup leaves behind and the next one removes.
 *
 * @param now the time to record, in milliseconds since 1970
 * @throws StoreError; OperatorError if the file system of `file` has no file locks
 */
export async function backUp(folder: string, file: string, now: number): Promise<BackupFacts> {
  const { store, format } = openUnchanged(folder);
  try {
    return await writeBackup(store, file, { format, created: now, version: VERSION });
  } catch (error) {
    if (error instanceof OperatorError) throw error;
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
  const unlock = takePart(part);
  const copy = join(part, DATA_FILE);
  try {
    rmSync(copy, { force: true });
    await store.copyTo(part);
    chmodSync(copy, 0o600);
    const all = appendTrailer(copy, facts);
    place(copy, file);
    syncFolder(dirname(part));
    return all;
  } finally {
    removePart(part);
    unlock();
  }
}

/** The files in the folder of an unfinished backup. */
const LOCK = 'lock';
const PART_FILES: readonly string[] = [LOCK, DATA_FILE];

/** Creates the folder of an unfinished backup, or takes over one that an interrupted backup left, and locks it. */
function takePart(part: string): () => void {
  if (!existsSync(part)) mkdirSync(part, { mode: 0o700 });
  requireOwnFolder(part);
  // LMDB creates the copy with a mode that depends on the umask: only the folder protects it.
  chmodSync(part, 0o700);
  const lock = join(part, LOCK);
  closeSync(openSync(lock, 'a', 0o600));
  const unlock = lockFile(lock);
  if (unlock === null) throw new StoreError(`Another process is writing this backup (${part}).`);
  return unlock;
}

/** Throws StoreError unless `part` is a folder of this user that contains nothing but an unfinished backup. */
function requireOwnFolder(part: string): void {
  const refuse = (why: string) =>
    new StoreError(
      `The backup needs the folder ${part}, which ${why}. Move it, or give the backup another name.`,
    );
  const stats = lstatSync(part);
  if (!stats.isDirectory()) throw refuse('exists and is not a folder');
  if (stats.uid !== (process.geteuid?.() ?? stats.uid)) throw refuse('belongs to another user');
  const other = readdirSync(part).find((name) => !PART_FILES.includes(name));
  if (other !== undefined) throw refuse(`contains ${other}`);
}

/** Removes what this program put into the folder, and the folder if it is empty then. */
function removePart(part: string): void {
  for (const name of PART_FILES) rmSync(join(part, name), { force: true });
  try {
    rmdirSync(part);
  } catch {
    // It contains something else by now.
  }
}

/** Gives the copy its name. A rename would replace a file of that name. */
function place(copy: string, file: string): void {
  try {
    linkSync(copy, file);
  } catch (error) {
    refuseExisting(file);
    throw error;
  }
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new StoreError(`${file} exists already. Give the backup another name.`);
}
