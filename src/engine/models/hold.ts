import type { Addon } from '../addon/index.js';
import type { CatalogBuild } from './catalog.js';

/**
 * Takes a share of the weights that a thread has loaded, so that a thread that takes the place of a dead one joins them
 * and reads no file, whatever has become of it since. Returns what gives the share back.
 */
export function holdWeights(
  addon: Addon,
  device: string,
  { path, projector }: CatalogBuild,
  threads: number,
): () => void {
  const model = addon.openModel({ path, device, mapped: false }, () => true);
  if (projector === null) return () => addon.closeModel(model);
  const reader = addon.openProjector(model, { path: projector.path, device, threads });
  return () => {
    addon.closeProjector(reader);
    addon.closeModel(model);
  };
}
