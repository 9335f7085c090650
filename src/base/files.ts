import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Parses a JSON file. Throws Error, with the `code` of the system if the file cannot be read. The message quotes at most
 * one character of invalid JSON: the parser's own message quotes the surrounding text, which may be a secret.
 */
export function readJsonFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ENOENT' ? Object.assign(new Error('the file does not exist'), { code }) : error;
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const [fault] = (error as Error).message.split(/, (?:\.\.\.)?"/);
    throw new Error(`not valid JSON: ${fault}`);
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
