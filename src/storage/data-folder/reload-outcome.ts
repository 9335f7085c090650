import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  createOwnFile,
  isArrayOf,
  isCount,
  isNullOr,
  isObjectOf,
  isString,
  OperatorError,
  readJsonFile,
  type ValueOf,
} from '../../base/index.js';
import { pathOf } from './data-folder.js';

const isOutcome = isObjectOf({
  /** The process that reloads. */
  pid: isCount,
  /** How many reloads have begun. */
  begun: isCount,
  /** How many have ended; fewer than `begun` while one is in progress. */
  number: isCount,
  /** Why the last one that ended was refused; null: it was not. */
  error: isNullOr(isString),
  /** What the last one that ended changed. */
  changed: isArrayOf(isString),
});

/** The outcome of a server's last reload. */
export type ReloadOutcome = ValueOf<typeof isOutcome>;

const fileOf = (folder: string) => join(pathOf(folder), 'reload.json');

/** Stores an outcome in the data folder for the command that asked for the reload. Throws Error. */
export function writeOutcome(folder: string, outcome: ReloadOutcome): void {
  const file = fileOf(folder);
  // A server whose data is in a database has no store there.
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  createOwnFile(file, JSON.stringify(outcome));
}

/** Removes the stored outcome of a server that ends, or that was killed. Throws OperatorError. */
export function removeOutcome(folder: string): void {
  const file = fileOf(folder);
  try {
    rmSync(file, { force: true });
  } catch (error) {
    throw new OperatorError(`${file} cannot be removed: ${(error as Error).message}.`);
  }
}

/** Null if no server has stored an outcome. */
export function readOutcome(folder: string): ReloadOutcome | null {
  try {
    const found = readJsonFile(fileOf(folder));
    return isOutcome(found) ? found : null;
  } catch {
    return null;
  }
}
