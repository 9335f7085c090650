import { constants, copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError, showBytes } from '../../../base/index.js';
import {
  DATA_FILE,
  dataFileOf,
  pathOf,
  storeSpace,
  UNFINISHED_FOLDER,
} from '../../data-folder/data-folder.js';
import { createStore } from './environment.js';
import { Store } from './store.js';
import { TABLE_NAMES } from './tables.js';

/** A step from one format to the next. Runs in the transaction that also sets the new version. */
export interface Upgrade {
  readonly from: number;
  run(store: Store): void;
}

/** An upgrade of the tables' format. */
export interface UpgradeTo {
  readonly format: number;
  /** One step for each earlier format. */
  readonly steps: readonly Upgrade[];
  /** Verifies what the store's tables mean. Returns a sentence for each problem. */
  check(store: Store): readonly string[];
}

/** Problems of an upgraded copy that an error names. */
const PROBLEMS_NAMED = 3;
/** Left free besides the copy and what the upgrade writes, in bytes. */
const SPARE_BYTES = 16 * 1024 * 1024;
/** In the folder of the store: the data folder of the copy that is upgraded first. */
const COPY = 'upgrade';

/** The version of a store's format; undefined for a new one. */
export const formatOf = (store: Store): number | undefined => store.table('meta').get('format')?.format;

/**
 * Upgrades a store of an older format, for the process that serves it. The steps run on a copy first, whose tables and
 * ledger are verified; only then they run on the store itself, in one transaction, which also keeps other processes from
 * writing meanwhile. A process that ends at any moment leaves the old or the new format. Throws StoreError with nothing
 * changed.
 */
export function upgradeStore(store: Store, to: UpgradeTo, space = storeSpace(store.folder)): void {
  requireUpgradeSpace(store.folder, space);
  store.change(() => {
    const found = formatOf(store);
    if (found === undefined || found >= to.format) return;
    // A full disk must not be met in LMDB's commit; see `allocate`.
    store.reserve(tryOnCopy(store, found, to));
    runSteps(store, found, to);
  });
}

/** Throws StoreError if a disk has no room for a copy of the store and for what the upgrade writes. */
export function requireUpgradeSpace(folder: string, { used, free }: ReturnType<typeof storeSpace>): void {
  const needed = 2 * used + SPARE_BYTES;
  if (free >= needed) return;
  throw new StoreError(
    `The upgrade of the data folder ${folder} needs ${needed} bytes of disk space, and ${free} are free. Nothing was changed. Free ${showBytes(needed - free)} and start again.`,
  );
}

/**
 * Removes what an upgrade leaves if it is killed, and `fillStore`. For the process that serves the folder. Throws
 * StoreError.
 */
export function removeLeftovers(folder: string): void {
  for (const name of [COPY, UNFINISHED_FOLDER]) {
    const left = join(pathOf(folder), name);
    try {
      rmSync(left, { recursive: true, force: true });
    } catch (error) {
      throw new StoreError(`${left} cannot be removed: ${(error as Error).message}.`);
    }
  }
}

/**
 * Call it inside a transaction: no other process then changes the data file. Returns the bytes by which the steps extend
 * the data file. The copy occupies no space any more when this returns. Throws StoreError.
 */
function tryOnCopy({ folder }: Store, found: number, to: UpgradeTo): number {
  const copyFolder = join(pathOf(folder), COPY);
  let copy: Store | undefined;
  try {
    createStore(copyFolder, (path) =>
      copyFileSync(dataFileOf(folder), join(path, DATA_FILE), constants.COPYFILE_FICLONE),
    );
    copy = new Store(copyFolder);
    const upgraded = copy;
    const before = upgraded.extentBytes();
    // At most as many bytes as `requireUpgradeSpace` has found free.
    upgraded.change(() => runSteps(upgraded, found, to), before);
    const problems: string[] = [];
    for (const name of TABLE_NAMES) upgraded.table(name).verify((problem) => problems.push(problem));
    if (problems.length === 0) problems.push(...to.check(upgraded));
    if (problems.length > 0) throw new StoreError(summary(problems));
    return upgraded.extentBytes() - before;
  } catch (error) {
    throw new StoreError(
      `The data folder ${folder} cannot be upgraded from format ${found} to ${to.format}: ${(error as Error).message} Nothing was changed. Run the version that wrote the folder, and its command: decider verify`,
    );
  } finally {
    copy?.closeUnwritten();
    removeLeftovers(folder);
  }
}

function summary(problems: readonly string[]): string {
  const more = problems.length - PROBLEMS_NAMED;
  return [...problems.slice(0, PROBLEMS_NAMED), ...(more > 0 ? [`${more} more problems.`] : [])].join(' ');
}

function runSteps(store: Store, found: number, { format, steps }: UpgradeTo): void {
  for (let version = found; version < format; version += 1) {
    const step = steps.find(({ from }) => from === version);
    if (step === undefined) {
      throw new StoreError(`This program has no upgrade from format ${version} to ${version + 1}.`);
    }
    step.run(store);
  }
  store.table('meta').put(['format'], { format });
}
