import {
  type CatalogBuild,
  estimateBuilds,
  type MemoryEstimate,
  type MemorySpace,
  memorySpaces,
  requireMemory,
  requireTotal,
} from '../engine/index.js';
import type { Settings } from '../settings/index.js';
import { servingProcess } from '../storage/index.js';
import { modelDevices, prepareEngine } from './engine-setup.js';

/** The estimated memory of models, and the memory of the devices. */
export interface MemoryReport extends MemoryEstimate {
  readonly spaces: readonly MemorySpace[];
}

/** Options of `checkMemory`. */
interface MemoryCheck {
  /** The data folder, for commands: if a server uses it, that server may hold the models, and all memory counts as free. */
  readonly data?: string;
  readonly stop?: AbortSignal | undefined;
}

/**
 * Estimates the memory that builds take if all are loaded with these settings; takes a fraction of a second per build,
 * and loads no weights. Throws MemoryError, with the numbers and settings that fit, if more is needed than is free, unless
 * `engine.memory_check` is false, and BackendError if the manifest names a device that does not exist.
 */
export async function checkMemory(
  settings: Settings['engine'],
  prepared: ReturnType<typeof prepareEngine>,
  builds: readonly CatalogBuild[],
  { data, stop }: MemoryCheck = {},
): Promise<MemoryReport> {
  const { backend, addon, devices } = prepared;
  const used = new Set(builds.flatMap(({ model }) => modelDevices(prepared, model)));
  const spaces = memorySpaces(addon, [...used], data !== undefined && isServed(data));
  const plan = { backend, devices, settings, spaces };
  const estimate = settings.memory_check ? requireMemory : estimateBuilds;
  return { ...(await estimate(plan, builds, stop)), spaces };
}

/**
 * Throws MemoryError if a model of this many bytes cannot fit in the memory of this machine, before it is downloaded or
 * copied, unless `engine.memory_check` is false.
 */
export function checkTotalMemory(settings: Settings['engine'], name: string, bytes: number): void {
  if (!settings.memory_check) return;
  const { addon, devices } = prepareEngine(settings, () => {});
  requireTotal(name, bytes, { devices, spaces: memorySpaces(addon, devices, false) });
}

/** False if the folder cannot be accessed. */
function isServed(data: string): boolean {
  try {
    return servingProcess(data) !== null;
  } catch {
    return false;
  }
}
