import { readlinkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  isInteger,
  isLocked,
  isObjectOf,
  isString,
  lockFile,
  readJsonFile,
  type ValueOf,
} from '../base/index.js';
import { dataFileOf, pathOf, StoreError } from './data-folder.js';

/** The process that serves a data folder, for messages. What counts is the lock of the data file. */
const isServing = isObjectOf({
  pid: isInteger,
  host: isString,
  /** The PID namespace, by which Linux distinguishes containers; '' elsewhere. */
  namespace: isString,
});
type Serving = ValueOf<typeof isServing>;

const fileOf = (folder: string) => join(pathOf(folder), 'server.json');

/**
 * Locks the store of a data folder for the one process that serves it. The lock ends when the returned function is
 * called, or with the process. Throws StoreError, which names the other process, if the folder is served already.
 */
export function serveAlone(folder: string): () => void {
  const unlock = lockFile(dataFileOf(folder));
  if (unlock === null) {
    throw new StoreError(
      `The data folder ${folder} is served by ${servingProcess(folder) ?? UNKNOWN}. Stop that process, wait for it if it is a command (decider rekey), or give this server a data folder of its own (data, DECIDER_DATA).`,
    );
  }
  const file = fileOf(folder);
  const own: Serving = { pid: process.pid, host: hostname(), namespace: pidNamespace() };
  try {
    writeFileSync(`${file}.new`, JSON.stringify(own), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    unlock();
    throw new StoreError(`${file} cannot be written: ${(error as Error).message}.`);
  }
  return () => {
    try {
      rmSync(file, { force: true });
    } finally {
      unlock();
    }
  };
}

const UNKNOWN = 'another process';

/** The process that serves a data folder, such as `process 7 on host`; null if none does. Throws StoreError. */
export function servingProcess(folder: string): string | null {
  if (!isServed(folder)) return null;
  const found = readServing(folder);
  return found === null ? UNKNOWN : `process ${found.pid} on ${found.host}`;
}

/** The id of the process that serves a data folder, to signal it. Throws StoreError if none does in this container. */
export function servingPid(folder: string): number {
  refuseOtherContainer(folder);
  const found = isServed(folder) ? readServing(folder) : null;
  if (found !== null) return found.pid;
  throw new StoreError(`The data folder ${folder} is served by no process.`);
}

/**
 * Throws StoreError if the server of the folder runs in another container. LMDB identifies readers by process id, so a
 * process that exits there would release the reader slots of the process with the same id here.
 */
export function refuseOtherContainer(folder: string): void {
  if (!isServed(folder)) return;
  const found = readServing(folder);
  if (found === null || found.namespace === pidNamespace()) return;
  throw new StoreError(
    `The data folder ${folder} is served by process ${found.pid} on ${found.host}, in another container. Run commands in that container (docker exec); a second server needs a data folder of its own (data, DECIDER_DATA).`,
  );
}

/** False for an empty file: a process that creates the store locks it. */
function isServed(folder: string): boolean {
  const file = dataFileOf(folder);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return size > 0 && isLocked(file);
}

/** Null if the file does not exist, as for a moment after the lock was taken. */
function readServing(folder: string): Serving | null {
  try {
    const found = readJsonFile(fileOf(folder));
    return isServing(found) ? found : null;
  } catch {
    return null;
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
