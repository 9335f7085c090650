import { mkdirSync, readlinkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  isInteger,
  isLocked,
  isObjectOf,
  isString,
  lockFile,
  OperatorError,
  readJsonFile,
  StoreError,
  type ValueOf,
} from '../../base/index.js';
import { dataFileOf, pathOf } from './data-folder.js';
import { removeOutcome } from './reload-outcome.js';

/** The process that serves a data folder, for messages. What counts is the lock of a file. */
const isServing = isObjectOf({
  pid: isInteger,
  host: isString,
  /** The PID namespace, by which Linux distinguishes containers; '' elsewhere. */
  namespace: isString,
});
type Serving = ValueOf<typeof isServing>;

/** The files by which a process serves a data folder. */
interface Lock {
  /** The locked file. */
  readonly file: string;
  /** Names the process. */
  readonly json: string;
}

/** The lock of a server that keeps its data in the folder. */
const storeLock = (folder: string): Lock => ({
  file: dataFileOf(folder),
  json: join(pathOf(folder), 'server.json'),
});
/** The lock of a server that keeps its data in a database, and in the folder only what concerns its process. */
const nodeLock = (folder: string): Lock => ({
  file: join(folder, 'node.lock'),
  json: join(folder, 'node.json'),
});

/**
 * Locks the store of a data folder for the one process that serves it. The lock ends when the returned function is
 * called, or with the process. Throws StoreError, which names the other process, if the folder is served already.
 */
export const serveAlone = (folder: string): (() => void) => lock(folder, storeLock(folder), nodeLock(folder));

/**
 * Like `serveAlone`, for a server whose data is in a database. Creates the folder; if it has a store, the store stays as it
 * is and may be used by commands.
 */
export function serveWithoutStore(folder: string): () => void {
  const own = nodeLock(folder);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(own.file, 'locked by the server of this folder\n', { mode: 0o600 });
  } catch (error) {
    throw new StoreError(`The data folder ${folder} cannot be used: ${(error as Error).message}.`);
  }
  return lock(folder, own, storeLock(folder));
}

/** Throws StoreError if either lock is taken. */
function lock(folder: string, { file, json }: Lock, other: Lock): () => void {
  const unlock = lockFile(file);
  if (unlock === null || isTaken(other)) {
    unlock?.();
    throw new StoreError(
      `The data folder ${folder} is served by ${servingProcess(folder) ?? UNKNOWN}. Stop that process, wait for it if it is a command (decider rekey), or give this server a data folder of its own (data, DECIDER_DATA).`,
    );
  }
  const own: Serving = { pid: process.pid, host: hostname(), namespace: pidNamespace() };
  try {
    // Of a process that was killed and may have had the same id, as in a container.
    removeOutcome(folder);
    writeFileSync(`${json}.new`, JSON.stringify(own), { mode: 0o600 });
    renameSync(`${json}.new`, json);
  } catch (error) {
    unlock();
    if (error instanceof OperatorError) throw error;
    throw new StoreError(`${json} cannot be written: ${(error as Error).message}.`);
  }
  return () => {
    try {
      rmSync(json, { force: true });
    } finally {
      unlock();
    }
  };
}

const UNKNOWN = 'another process';

/** The process that serves a data folder, such as `process 7 on host`; null if none does. Throws StoreError. */
export function servingProcess(folder: string): string | null {
  const taken = takenLock(folder);
  if (taken === null) return null;
  const found = readServing(taken);
  return found === null ? UNKNOWN : `process ${found.pid} on ${found.host}`;
}

/** The id of the process that serves a data folder, to signal it. Throws StoreError if none does in this container. */
export function servingPid(folder: string): number {
  refuseOtherContainer(folder);
  const taken = takenLock(folder);
  const found = taken && readServing(taken);
  if (found !== null) return found.pid;
  throw new StoreError(`The data folder ${folder} is served by no process.`);
}

/**
 * Throws StoreError if the server of the folder runs in another container. LMDB identifies readers by process id, so a
 * process that exits there would release the reader slots of the process with the same id here.
 */
export function refuseOtherContainer(folder: string): void {
  const taken = takenLock(folder);
  if (taken === null) return;
  const found = readServing(taken);
  if (found === null || found.namespace === pidNamespace()) return;
  throw new StoreError(
    `The data folder ${folder} is served by process ${found.pid} on ${found.host}, in another container. Run commands in that container (docker exec); a second server needs a data folder of its own (data, DECIDER_DATA).`,
  );
}

/** The lock that a process holds; null if the folder is not served. */
const takenLock = (folder: string): Lock | null =>
  [storeLock(folder), nodeLock(folder)].find(isTaken) ?? null;

/** False for an empty file: a process that creates the store locks it. */
function isTaken({ file }: Lock): boolean {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return size > 0 && isLocked(file);
}

/** Null if the file does not exist, as for a moment after the lock was taken. */
function readServing({ json }: Lock): Serving | null {
  try {
    const found = readJsonFile(json);
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
