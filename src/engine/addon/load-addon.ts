import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { ADDON_REMEDY, addonFile, type Backend, isAddonOld, libraries, platform } from '#native/platform.mjs';
import { OperatorError } from '../../base/index.js';
import type { Addon, Device } from './addon-types.js';
import { remedyFor } from './installed.js';

const require = createRequire(import.meta.url);

/** The addon of one backend, loaded, with the devices it found. */
interface LoadedAddon {
  readonly backend: Backend;
  readonly addon: Addon;
  readonly devices: readonly Device[];
}

/** A backend cannot be used; the message says what to do. */
export class BackendError extends OperatorError {
  override readonly name = 'BackendError';
}

/**
 * Loads the addon linked against one backend. Two backends in one process would share some libraries by name and not
 * others, so a process loads only one; choose-backend.ts probes others in child processes.
 */
export function loadAddon(backend: Backend): LoadedAddon {
  const folder = libraries(backend);
  if (folder === null) throw new BackendError(notInstalled(backend));
  const file = addonFile(backend);
  if (!existsSync(file)) throw new BackendError(`The addon is not built for ${backend}. ${ADDON_REMEDY}`);
  if (isAddonOld())
    throw new BackendError(`The addon was built from sources of another version. ${ADDON_REMEDY}`);
  // Otherwise ggml starts a debugger, if one is installed, to print a backtrace before it aborts, and that may hang.
  process.env.GGML_NO_BACKTRACE ??= '1';
  let addon: Addon;
  try {
    addon = require(file) as Addon;
  } catch (error) {
    throw new BackendError(`The addon for ${backend} does not load: ${(error as Error).message}`);
  }
  let devices = addon.loadBackends(folder);
  for (const older of backend === 'cuda' ? olderLibraries(folder) : [])
    if (!devices.some((device) => device.gpu)) devices = addon.loadBackends(older);
  return { backend, addon, devices };
}

/** The CUDA package is made for CUDA 13; its companion, if it is installed, holds the same library for CUDA 12. */
export function olderLibraries(folder: string): string[] {
  const name = basename(folder);
  const older = join(folder, '..', '..', '..', `${name}-ext`, 'bins', name, 'fallback');
  return existsSync(older) ? [older] : [];
}

/** Whether those for CUDA 12 are installed: they come with the prebuilt ones for CUDA 13, and with no others. */
export function hasOlderCudaLibraries(): boolean {
  const folder = libraries('cuda');
  return folder !== null && olderLibraries(folder).length > 0;
}

/** The backend for work on the CPU beside another backend: the CPU's own, without GPU drivers, if it is installed. */
export function cpuBackendFor(backend: Backend): Backend {
  return platform().backends.includes('cpu') && existsSync(addonFile('cpu')) ? 'cpu' : backend;
}

function notInstalled(backend: Backend): string {
  const { platform: name, backends } = platform();
  if (!backends.includes(backend)) return `The backend ${backend} does not exist on ${name}.`;
  return `The libraries for ${backend} are not installed. ${remedyFor(backend)}`;
}
