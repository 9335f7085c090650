import type { Addon } from '../addon/addon-types.js';
import type { CatalogBuild } from './catalog.js';

/**
 * Keeps the weights that a thread has loaded alive in this process, so that a thread that replaces a dead one uses them
 * and reads no file, even if the file has changed since. Returns a function that releases them.
 */
export function holdWeights(
  addon: Addon,
  device: string,
  { path, projector }: CatalogBuild,
  threads: number,
): () => void {
  const model = addon.openModel({ path, device, mapped: false }, () => true);
  if (projector === null) return () => addon.closeModel(model);
  let reader: ReturnType<Addon['openProjector']>;
  try {
    reader = addon.openProjector(model, { path: projector.path, device, threads });
  } catch (error) {
    // Not when it is collected as garbage, which may be long after.
    addon.closeModel(model);
    throw error;
  }
  return () => {
    addon.closeProjector(reader);
    addon.closeModel(model);
  };
}
