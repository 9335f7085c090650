import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isUtf16, withoutByteOrderMark } from './byte-order-mark.js';
import { jsonFault, repeatedName, showPlace } from './json-place.js';

/** What a JSON file has, and its text, in which `placeInJson` finds places. */
interface JsonFile {
  readonly value: unknown;
  readonly text: string;
}

/**
 * Parses a JSON file, with or without a byte order mark. Throws Error, with the `code` of the system if the file cannot be
 * read. The message has the line and the column of invalid JSON, and quotes at most one character of it: the text may be
 * a secret.
 */
export const readJsonFile = (file: string): unknown => parseFile(file).value;

/**
 * As `readJsonFile`, of a file that people write, and with its text. Throws Error also if an object has a name twice: one of
 * the two values would have no effect.
 */
export function readJsonText(file: string): JsonFile {
  const read = parseFile(file);
  const repeated = repeatedName(read.text);
  if (repeated === null) return read;
  throw new Error(
    `${JSON.stringify(repeated.name)} is given twice${showPlace(repeated)}. Remove one of them.`,
  );
}

function parseFile(file: string): JsonFile {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw Object.assign(new Error('the file does not exist'), { code });
    if (code === 'EISDIR') throw Object.assign(new Error('it is a folder; name a file'), { code });
    throw error;
  }
  if (isUtf16(bytes)) throw new Error('not valid JSON: the file is UTF-16. Save it as UTF-8.');
  const text = withoutByteOrderMark(bytes).toString('utf8');
  try {
    return { value: JSON.parse(text), text };
  } catch {
    const fault = jsonFault(text);
    if (fault === null) throw new Error('not valid JSON: its values are nested too deeply.');
    throw new Error(`not valid JSON${showPlace(fault)}: ${fault.reason}.`);
  }
}

/** Creates a file that only its owner can read. It appears complete, and is on the disk when this returns. */
export function createOwnFile(file: string, text: string): void {
  const unfinished = `${file}.new`;
  rmSync(unfinished, { force: true });
  writeFileSync(unfinished, text, { mode: 0o600, flag: 'wx', flush: true });
  renameSync(unfinished, file);
  syncFolder(dirname(file));
}

/** Flushes the names in a folder to the disk: a file created or renamed there survives a power failure. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Free bytes on the disk of a folder, which need not exist; Infinity if the file system does not report its size. */
export function freeBytes(folder: string): number {
  const path = resolve(folder);
  if (!existsSync(path) && path !== dirname(path)) return freeBytes(dirname(path));
  const { blocks, bavail, bsize } = statfsSync(path);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

/** Read at a time to compute a checksum. */
const HASHED_BYTES = 4 << 20;

/**
 * The SHA-256 of a file's content, in hexadecimal digits. Blocks for a file of up to 4 MiB: of thousands of small files,
 * streams would take most of the time. Throws the error of the system, or the reason of the signal.
 */
export async function sha256OfFile(file: string, stop?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  if (statSync(file).size <= HASHED_BYTES) return hash.update(readFileSync(file)).digest('hex');
  const content = createReadStream(file, { highWaterMark: HASHED_BYTES });
  await (stop === undefined ? pipeline(content, hash) : pipeline(content, hash, { signal: stop }));
  return hash.digest('hex');
}
