import type { ManifestModel } from './models/manifest-schema.js';

/** The devices of a model: its own ones of the manifest, or else those that all models use. */
export function devicesOf({ engine }: ManifestModel, devices: readonly string[]): readonly string[] {
  return engine?.devices ?? devices;
}

/** Settings of sizes as they apply to a model: the manifest may give it others. */
export function settingsOf<Sizes extends { readonly cells: number }>(
  { engine }: ManifestModel,
  sizes: Sizes,
): Sizes {
  const { devices: _, ...own } = engine ?? {};
  return { ...sizes, ...own };
}
