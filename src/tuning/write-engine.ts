import { editManifest, type ManifestModel, ModelError } from '../engine/index.js';
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
 * if the manifest has no such model or cannot be changed.
 */
export async function writeEngine(
  folder: string,
  id: string,
  choice: EngineChoice,
  tuned: Tuned,
): Promise<void> {
  await editManifest(folder, (manifest) => {
    if (!manifest.models.some((model) => model.id === id))
      throw new ModelError(`write: the manifest of ${folder} has no model ${id}. Nothing was written.`);
    const changed = (model: ManifestModel) => ({ ...model, engine: { ...model.engine, ...choice, tuned } });
    return {
      ...manifest,
      models: manifest.models.map((model) => (model.id === id ? changed(model) : model)),
    };
  });
}
