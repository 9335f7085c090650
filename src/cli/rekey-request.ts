import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  createOwnFile,
  isCount,
  isNullOr,
  isObjectOf,
  isString,
  lockFile,
  readJsonFile,
  type ValueOf,
} from '../base/index.js';
import { pathOf } from '../storage/index.js';

const isRequest = isObjectOf({
  id: isString,
  /** The process that waits for the outcome. */
  pid: isCount,
  /** The file with the new key; null: the server generates one. */
  newKeyFile: isNullOr(isString),
  /** Null until the server has answered. */
  outcome: isNullOr(
    isObjectOf({ error: isNullOr(isString), dataKeys: isNullOr(isCount), earlier: isNullOr(isString) }),
  ),
});

/** A change of the master key that a command requests from the running server, and its outcome. No key is in it. */
export type RekeyRequest = ValueOf<typeof isRequest>;

const fileOf = (folder: string) => join(pathOf(folder), 'rekey.json');

/**
 * Locks the request for one command, which may then store it, until the returned function is called or the process ends.
 * Returns null if another command keeps the lock. Throws Error.
 */
export function lockRequest(folder: string): (() => void) | null {
  const file = join(pathOf(folder), 'rekey.lock');
  closeSync(openSync(file, 'a', 0o600));
  return lockFile(file);
}

/** Stores a request in the data folder, or its outcome. Throws Error. */
export const writeRequest = (folder: string, request: RekeyRequest): void =>
  createOwnFile(fileOf(folder), JSON.stringify(request));

/** Null if there is none. */
export function readRequest(folder: string): RekeyRequest | null {
  try {
    const found = readJsonFile(fileOf(folder));
    return isRequest(found) ? found : null;
  } catch {
    return null;
  }
}

/** Throws Error. */
export const removeRequest = (folder: string): void => rmSync(fileOf(folder), { force: true });
