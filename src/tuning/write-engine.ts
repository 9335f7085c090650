import {
  type BuildFiles,
  Catalog,
  type CatalogBuild,
  editManifest,
  filesOf,
  type ManifestModel,
  ModelError,
} from '../engine/index.js';
import type { EngineChoice, Goal } from './choice/engine-choice.js';

/** What was measured, and when. */
interface Tuned {
  /** The GPU or the processor: see `deviceTitle`. */
  readonly device: string;
  /** The UTC day, such as 2026-12-01. */
  readonly date: string;
  readonly goal: Goal;
}

/**
 * Writes settings to the `engine` of a model in the manifest, in place of those of the same names. Rejects with ModelError
 * if the manifest cannot be changed, or does not have the build that was measured, with the same files: measuring takes
 * minutes, in which a model can be removed or replaced.
 */
export async function writeEngine(
  folder: string,
  build: Pick<CatalogBuild, 'id'> & BuildFiles,
  choice: EngineChoice,
  tuned: Tuned,
): Promise<void> {
  await editManifest(folder, (manifest) => {
    const now = new Catalog(manifest, folder).builds.find(({ id }) => id === build.id);
    if (now === undefined)
      throw new ModelError(`write: the manifest of ${folder} has no build ${build.id}. Nothing was written.`);
    if (checksums(now) !== checksums(build))
      throw new ModelError(
        `write: ${build.id} has other files in the manifest of ${folder} than those that were measured. Nothing was written.`,
      );
    const changed = (model: ManifestModel) => ({ ...model, engine: { ...model.engine, ...choice, tuned } });
    return {
      ...manifest,
      models: manifest.models.map((model) => (model === now.model ? changed(model) : model)),
    };
  });
}

const checksums = (build: BuildFiles) =>
  filesOf(build)
    .map(({ sha256 }) => sha256)
    .join();
