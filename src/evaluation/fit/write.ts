import { buildId, editManifest, ModelError } from '../../engine/index.js';

/**
 * Writes temperatures to a build of the manifest, in place of those of the same question types. Rejects with ModelError
 * if the manifest has no such build or cannot be changed.
 */
export async function writeTemperatures(
  models: string,
  build: string,
  fitted: Readonly<Record<string, number>>,
): Promise<void> {
  const typeOf = (key: string) => key.split('.')[0];
  const types = new Set(Object.keys(fitted).map(typeOf));
  await editManifest(models, (manifest) => {
    let found = false;
    const changed = manifest.models.map((model) => ({
      ...model,
      builds: model.builds.map((each) => {
        if (buildId(model, each) !== build) return each;
        found = true;
        const kept = Object.entries(each.temperatures ?? {}).filter(([key]) => !types.has(typeOf(key)));
        return { ...each, temperatures: { ...Object.fromEntries(kept), ...fitted } };
      }),
    }));
    if (!found)
      throw new ModelError(`fit: the manifest of ${models} has no build ${build}. Nothing was written.`);
    return { ...manifest, models: changed };
  });
}
