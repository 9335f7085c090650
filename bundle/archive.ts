// Writes the folder of a bundle and the archive of it. The same files give the same bytes, whenever and by whomever they
// are made: GNU tar sorts the names, and writes one time, one owner, and the modes that the files have in the folder.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OperatorError, sha256OfFile } from '../src/base/index.js';
import type { BundledFile } from '../src/cli/bundle-manifest.js';
import type { Entry } from './contents.js';

/** The time of every file in an archive: 2000-01-01. GNU tar warns of files from 1970. */
const FILE_SECONDS = 946_684_800;

/** Writes files below a new folder. Returns what the manifest says of them, in the order of their paths. */
export async function writeFolder(folder: string, entries: readonly Entry[]): Promise<BundledFile[]> {
  makeFolders(folder, '.');
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));
  const files: BundledFile[] = [];
  for (const { path, mode, content } of sorted) {
    makeFolders(folder, dirname(path));
    const file = join(folder, path);
    if ('file' in content) copyFileSync(content.file, file);
    else writeFileSync(file, content.text);
    chmodSync(file, Number.parseInt(mode, 8));
    files.push({ path, mode, size: statSync(file).size, sha256: await sha256OfFile(file) });
  }
  return files;
}

/** Makes a folder and those above it, all with the mode 0755, whatever the umask is. */
function makeFolders(root: string, path: string): void {
  const folder = join(root, path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  if (path !== '.') makeFolders(root, dirname(path));
  mkdirSync(folder, { recursive: path === '.' });
  chmodSync(folder, 0o755);
}

/** The usual compression of an archive: without the name of the file and its time. */
const GZIP = 'gzip -n -6';

/**
 * Archives the folder `name` in `parent` as `archive`. `compress`: the command that compresses it. Throws OperatorError if
 * GNU tar or that command is missing or fails.
 */
export function writeArchive(parent: string, name: string, archive: string, compress = GZIP): void {
  const unfinished = `${archive}.part`;
  const { TAR_OPTIONS: _tar, GZIP: _gzip, XZ_OPT: _xz, XZ_DEFAULTS: _defaults, ...environment } = process.env;
  const options = [
    '--create',
    '--format=gnu',
    '--sort=name',
    `--mtime=@${FILE_SECONDS}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    `--use-compress-program=${compress}`,
  ];
  try {
    execFileSync('tar', [...options, `--file=${unfinished}`, `--directory=${parent}`, name], {
      env: { ...environment, LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw new OperatorError(
      `tar failed, which must be GNU tar with ${compress.split(' ')[0]}: ${(error as Error).message}`,
    );
  }
  renameSync(unfinished, archive);
}
