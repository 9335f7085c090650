import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockFile, OperatorError, syncFolder } from '../../base/index.js';
import { MANIFEST_FILE, ModelError, manifestFault, readManifest } from './manifest.js';
import type { Manifest } from './manifest-schema.js';

/** An edit holds the lock for milliseconds; together, 10 seconds. */
const LOCK_TRIES = 2_000;
const LOCK_PAUSE_MS = 5;

/**
 * Reads the manifest of a models folder, replaces it with what `change` returns, and resolves with that. Edits by other
 * processes wait, so none is lost. `change` returns a new manifest, or the same one to leave the file as it is, and may
 * throw. Readers see the old file or the whole new one, also after a power failure. `changed` is called with both while
 * other processes still wait.
 * Rejects with ModelError if the manifest is invalid, before or after the change, or cannot be written; the file is then
 * as before.
 */
export function editManifest(
  folder: string,
  change: (manifest: Manifest) => Manifest,
  changed: (before: Manifest, after: Manifest) => void = () => {},
): Promise<Manifest> {
  return whileLocked(folder, async () => {
    const before = await readManifest(folder);
    const after = await replace(folder, before, change(before));
    changed(before, after);
    return after;
  });
}

/**
 * Like `editManifest`, but `change` receives null if the folder has no manifest yet, and makes the first one or returns
 * null.
 */
export function editOrCreateManifest(
  folder: string,
  change: (manifest: Manifest | null) => Manifest | null,
): Promise<Manifest | null> {
  return whileLocked(folder, async () => {
    const before = existsSync(join(folder, MANIFEST_FILE)) ? await readManifest(folder) : null;
    const after = change(before);
    if (after !== null) return replace(folder, before, after);
    // Otherwise the folder would not be empty.
    rmSync(join(folder, LOCK_FILE));
    return null;
  });
}

async function replace(folder: string, before: Manifest | null, after: Manifest): Promise<Manifest> {
  if (after === before) return after;
  const fault = await manifestFault(after);
  if (fault !== null) throw new ModelError(`${join(folder, MANIFEST_FILE)} was not changed: ${fault}`);
  try {
    writeWhole(join(folder, MANIFEST_FILE), `${JSON.stringify(after, null, 2)}\n`);
  } catch (error) {
    throw notWritable(folder, error);
  }
  return after;
}

/**
 * Rejects with ModelError if the manifest of a models folder cannot be replaced. Its contents are not read; a folder without
 * one is accepted.
 */
export async function requireWritableManifest(folder: string): Promise<void> {
  const file = join(folder, MANIFEST_FILE);
  if (!existsSync(file)) return;
  await whileLocked(folder, async () => {
    try {
      rmSync(writeBeside(realpathSync(file), ''));
    } catch (error) {
      throw notWritable(folder, error);
    }
  });
}

/** Replaces the contents of a file at once and durably. Keeps its owner, its mode, and the link if it is one. */
function writeWhole(file: string, text: string): void {
  const target = existsSync(file) ? realpathSync(file) : file;
  const temporary = writeBeside(target, text);
  try {
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  try {
    syncFolder(dirname(target));
  } catch {
    // The change is in force, so it must not be reported as failed. Some network file systems cannot flush a folder.
  }
}

/** Writes a file that can take the place of `target`: with its owner and its mode, and on the disk. Returns its path. */
function writeBeside(target: string, text: string): string {
  const before = statSync(target, { throwIfNoEntry: false });
  // One name suffices under the lock; a crash may have left the file.
  const temporary = `${target}.new`;
  try {
    rmSync(temporary, { force: true });
    const descriptor = openSync(temporary, 'wx');
    try {
      if (before !== undefined) {
        keepOwner(descriptor, target, before);
        fchmodSync(descriptor, before.mode & 0o777);
      }
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    return temporary;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Gives an open file the owner of the file that it will replace. Throws ModelError if the system refuses. */
function keepOwner(descriptor: number, target: string, { uid, gid }: Stats): void {
  const own = fstatSync(descriptor);
  if (own.uid === uid && own.gid === gid) return;
  try {
    fchownSync(descriptor, uid, gid);
  } catch (error) {
    throw new ModelError(
      `${target} belongs to user ${uid} and group ${gid}, which this process cannot keep (${(error as NodeJS.ErrnoException).code}). Run the command as that user.`,
    );
  }
}

/** Not the manifest itself, which every edit replaces by another file. */
const LOCK_FILE = `${MANIFEST_FILE}.lock`;

async function whileLocked<T>(folder: string, edit: () => Promise<T>): Promise<T> {
  for (let left = LOCK_TRIES; left > 0; left -= 1) {
    const unlock = tryLock(folder);
    if (unlock !== null) {
      try {
        return await edit();
      } finally {
        unlock();
      }
    }
    await sleep(LOCK_PAUSE_MS);
  }
  throw new ModelError(
    `${join(folder, MANIFEST_FILE)} is being changed by another process, which does not finish. End it and try again.`,
  );
}

/** Null if another process has the lock, or has just deleted its file. */
function tryLock(folder: string): (() => void) | null {
  const file = join(folder, LOCK_FILE);
  try {
    closeSync(openSync(file, 'a'));
  } catch (error) {
    throw notWritable(folder, error);
  }
  try {
    return lockFile(file, 1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function notWritable(folder: string, error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  return new ModelError(
    `${join(folder, MANIFEST_FILE)} cannot be changed: ${(error as Error).message}. The models folder must be writable for this command; models (DECIDER_MODELS) names it.`,
  );
}
