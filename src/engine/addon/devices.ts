import { processor } from '../../base/index.js';
import type { Device } from './addon-types.js';
import { BackendError } from './load-addon.js';

/**
 * The names of the GPUs to compute on, none if the backend finds none. `names` chooses among them. No names mean all,
 * except GPUs integrated into a processor if there are others: a wave on one takes many times as long. Throws
 * BackendError for a name that is not among them; `where` says in it what names them.
 */
export function chooseDevices(
  found: readonly Device[],
  names: readonly string[],
  where = 'engine.devices',
): readonly string[] {
  const gpus = found.filter(({ gpu }) => gpu);
  if (names.length === 0) {
    const own = gpus.filter(({ integrated }) => !integrated);
    return (own.length > 0 ? own : gpus).map(({ name }) => name);
  }
  for (const name of names) {
    if (gpus.some((gpu) => gpu.name === name)) continue;
    const all = gpus.map((gpu) => gpu.name).join(', ') || 'none';
    throw new BackendError(`${where}: no GPU is named "${name}". Found: ${all}.`);
  }
  return names;
}

/** The device of each engine thread: `contexts` per device, interleaved, so that light load uses all devices. */
export function threadDevices(devices: readonly string[], contexts: number): string[] {
  return Array.from({ length: contexts }, () => devices).flat();
}

/** What a device is: the description of a GPU, or the processor for ''. */
export function deviceTitle(found: readonly Device[], name: string): string {
  return name === '' ? processor() : (found.find((device) => device.name === name)?.description ?? name);
}
