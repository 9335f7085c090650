import { BackendError } from './load.js';
import type { Device } from './types.js';

/**
 * The names of the GPUs to compute on, none where the backend finds none. `names`, separated by commas, chooses
 * among them; '' takes all, but for those integrated into a processor where there are others: a wave on one
 * takes many times as long. Throws BackendError where a name is none of theirs.
 */
export function chooseDevices(found: readonly Device[], names: string): string[] {
  const gpus = found.filter(({ gpu }) => gpu);
  if (names === '') {
    const own = gpus.filter(({ integrated }) => !integrated);
    return (own.length > 0 ? own : gpus).map(({ name }) => name);
  }
  const wanted = new Set(names.split(',').map((name) => name.trim()));
  for (const name of wanted) {
    if (gpus.some((gpu) => gpu.name === name)) continue;
    const all = gpus.map((gpu) => gpu.name).join(', ') || 'none';
    throw new BackendError(`engine.devices: there is no GPU "${name}" to compute on. Found: ${all}.`);
  }
  return [...wanted];
}

/** The device of each engine thread: `contexts` per device, in turns, so that little work uses all devices. */
export function threadDevices(devices: readonly string[], contexts: number): string[] {
  return Array.from({ length: contexts }, () => devices).flat();
}
