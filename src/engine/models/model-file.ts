import { createHash } from 'node:crypto';
import { type BigIntStats, constants, statSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type BuildFiles, type CatalogFile, filesOf } from './catalog.js';
import { ModelError } from './manifest.js';

/** A file does not have the SHA-256 that the manifest gives. */
export class ChecksumError extends ModelError {}

/** A model file as it was at one moment. */
interface FileVersion {
  readonly path: string;
  /** Changes when the file is replaced or written to. */
  readonly version: string;
}

/** A file that is open for reading. */
interface OpenFile extends FileVersion {
  readonly handle: FileHandle;
}

/** Opens a model file. Throws ModelError unless it is a regular file: reading a FIFO or a device may never end. */
async function openModelFile(path: string): Promise<OpenFile> {
  // Checked before it is opened, because opening a device can have effects.
  requireRegular(path, await stat(path, { bigint: true }).catch(fail(path)));
  // O_NONBLOCK: a FIFO that has just replaced the file must not block.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(fail(path));
  try {
    const found = await handle.stat({ bigint: true });
    requireRegular(path, found);
    const start = Buffer.alloc(START_BYTES);
    const { bytesRead } = await handle.read(start, 0, START_BYTES, 0);
    const other = impostor(start.subarray(0, bytesRead));
    if (other !== null) throw new ModelError(`${path}: it is ${other}`);
    return { path, version: versionOf(found), handle };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The files of a build as they are now. Throws ModelError if one is missing or not a regular file. */
export function fileVersions(build: BuildFiles): FileVersion[] {
  return filesOf(build).map(({ path }) => {
    const found = attemptStat(path);
    requireRegular(path, found);
    return { path, version: versionOf(found) };
  });
}

function attemptStat(path: string): BigIntStats {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    return fail(path)(error as NodeJS.ErrnoException);
  }
}

/** Throws ModelError if the path no longer leads to that version. */
export function requireUnchanged({ path, version }: FileVersion): void {
  try {
    if (versionOf(statSync(path, { bigint: true })) === version) return;
  } catch {
    // It is gone or inaccessible, so it is not the version that was read.
  }
  throw new ModelError(`${path}: it changed while it was being loaded. Start again once it is complete.`);
}

function requireRegular(path: string, found: BigIntStats): void {
  if (!found.isFile()) throw new ModelError(`${path}: not a regular file`);
}

const versionOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats) =>
  [dev, ino, size, mtimeNs, ctimeNs].join(' ');

const fail =
  (path: string) =>
  (error: NodeJS.ErrnoException): never => {
    throw new ModelError(`${path}: ${error.code === 'ENOENT' ? 'no such file' : error.message}`);
  };

/**
 * Reads a build's whole files and compares their SHA-256 with the manifest's. Returns the versions that it read.
 * Throws ChecksumError or another ModelError, or the signal's reason.
 */
export async function verifyChecksum(build: BuildFiles, stop?: AbortSignal): Promise<FileVersion[]> {
  const versions: FileVersion[] = [];
  for (const file of filesOf(build)) versions.push(await verifyFile(file, stop));
  return versions;
}

async function verifyFile({ path, sha256 }: CatalogFile, stop?: AbortSignal): Promise<FileVersion> {
  const { handle, version } = await openModelFile(path);
  const hash = createHash('sha256');
  try {
    const file = handle.createReadStream({ highWaterMark: 4 << 20, start: 0 });
    await (stop === undefined ? pipeline(file, hash) : pipeline(file, hash, { signal: stop }));
  } catch (error) {
    stop?.throwIfAborted();
    throw new ModelError(`${path}: ${(error as Error).message}`);
  }
  const digest = hash.digest('hex');
  if (digest === sha256) return { path, version };
  throw new ChecksumError(`${path}: its SHA-256 is ${digest}, not the manifest's ${sha256}`);
}

/** The bytes of a file that `impostor` reads. */
const START_BYTES = 512;

/**
 * What a file is that was stored in place of a model, by its first bytes, and what to do; null for anything else, which
 * llama.cpp judges.
 */
export function impostor(start: Buffer): string | null {
  const text = start.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  if (text.startsWith('version https://git-lfs.github.com/spec/'))
    return 'a Git LFS pointer, not the model itself. Run git lfs pull in its repository, or use: decider models pull';
  if (/^\s*<(!doctype|html|head|body|\?xml)\b/i.test(text))
    return 'an HTML or XML page, not a model: a download stored the page of a site. Download the file itself, or use: decider models pull';
  if (start.length === 0) return 'an empty file. Download it again.';
  return null;
}
