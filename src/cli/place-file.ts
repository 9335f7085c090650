import {
  constants,
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  linkSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { freeBytes, OperatorError, sha256OfFile, syncFolder, unfinishedPath } from '../base/index.js';
import { Catalog, editOrCreateManifest, filesOf, type Manifest } from '../engine/index.js';
import { requireSpace } from '../hub/index.js';

const CHUNK_BYTES = 4 << 20;

/** Whether a path lies in a folder. Links in the folder lie in it, whatever they lead to. */
export function liesIn(folder: string, path: string): boolean {
  try {
    const inside = relative(realpathSync(folder), join(realpathSync(dirname(path)), '.'));
    return inside !== '..' && !inside.startsWith(`..${sep}`);
  } catch {
    return false;
  }
}

/** A file to put into the models folder. */
interface Placement {
  readonly source: string;
  readonly target: string;
  readonly sha256: string;
}

/**
 * Puts a file where it is to be: a clone if the file system shares blocks, else a hard link, else a copy. It appears under
 * its name when it is complete. A file with the same contents that is there already is used. Returns the inode of the
 * file that was made, null if there was one. Throws OperatorError, or the reason of the stop signal.
 */
export async function placeFile(
  folder: string,
  { source, target, sha256 }: Placement,
  stop: AbortSignal,
): Promise<bigint | null> {
  // Unique, because another command may be placing the same file.
  const part = unfinishedPath(target);
  try {
    stop.throwIfAborted();
    mkdirSync(dirname(target), { recursive: true });
    if (!existsSync(target)) {
      // A link to the file that a link leads to, such as into the hub's cache.
      await copy(realpathSync(source), part, stop);
      const { ino } = statSync(part, { bigint: true });
      if (publish(part, target)) return ino;
    }
    if ((await sha256Of(target, stop)) === sha256) return null;
    throw new OperatorError(
      `${target} exists already, with other contents than ${source}. Give another --id or --date, or delete it.`,
    );
  } catch (error) {
    removeFile(folder, part);
    stop.throwIfAborted();
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `${source} cannot be put into ${dirname(target)}: ${(error as Error).message}. Use --in-place to leave it where it is.`,
    );
  }
}

async function copy(from: string, part: string, stop: AbortSignal): Promise<void> {
  const cloned = attempt(() => copyFileSync(from, part, constants.COPYFILE_FICLONE_FORCE));
  if (!cloned && !attempt(() => linkSync(from, part))) {
    requireSpace(dirname(part), statSync(from).size, freeBytes);
    // Not copyFile(), which a signal cannot end: the process would stay until all is copied.
    await pipeline(
      createReadStream(from, { highWaterMark: CHUNK_BYTES }),
      createWriteStream(part, { flags: 'wx', highWaterMark: CHUNK_BYTES }),
      { signal: stop },
    );
  }
  const file = await open(part, 'r');
  await file.sync().finally(() => file.close());
}

/** Gives a complete file its name. Returns false, and deletes it, if another file has that name. */
function publish(part: string, target: string): boolean {
  try {
    // Unlike rename(), link() never replaces a file.
    linkSync(part, target);
    rmSync(part);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || existsSync(target)) {
      rmSync(part, { force: true });
      return false;
    }
    // The file system has no hard links.
    renameSync(part, target);
  }
  syncFolder(dirname(target));
  return true;
}

/** Throws OperatorError, or the reason of the stop signal. */
export async function sha256Of(file: string, stop: AbortSignal): Promise<string> {
  try {
    return await sha256OfFile(file, stop);
  } catch (error) {
    stop.throwIfAborted();
    throw new OperatorError(`${file}: ${(error as Error).message}`);
  }
}

/** Whether a build of the manifest has a file, also through links. */
export function namesFile(manifest: Manifest | null, folder: string, path: string): boolean {
  const real = (each: string) => (existsSync(each) ? realpathSync(each) : each);
  const builds = manifest === null ? [] : new Catalog(manifest, folder).builds;
  return builds.flatMap(filesOf).some((file) => real(file.path) === real(path));
}

/**
 * Deletes files that an unfinished command put into the models folder, given with their inodes, and the folders that are
 * empty then. Leaves those that another command has listed or replaced meanwhile.
 */
export async function takeBack(folder: string, made: ReadonlyMap<string, bigint>): Promise<void> {
  await editOrCreateManifest(folder, (manifest) => {
    for (const [path, inode] of made) {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false });
      if (found?.ino === inode && !namesFile(manifest, folder, path)) removeFile(folder, path);
    }
    return manifest;
  });
}

function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

/** Deletes a file, and the folders above it up to `folder` that are empty then. */
export function removeFile(folder: string, path: string): void {
  rmSync(path, { force: true });
  const root = resolve(folder);
  for (let above = dirname(resolve(path)); above.startsWith(root + sep); above = dirname(above)) {
    if (!attempt(() => rmdirSync(above))) return;
  }
}
