import { sep } from 'node:path';
import { IS_BUNDLE, OperatorError } from '../base/index.js';
import { requireWritableManifest } from '../engine/index.js';
import { EMBEDDED_MODELS, inWorkingFolder, type Settings } from '../settings/index.js';

/**
 * The models folder to install into: that of the settings, unless the next version of this program replaces it, as npm
 * does with a package, or it is in a bundle. Throws SettingsError.
 */
export function ownModels(
  { models }: Pick<Settings, 'models'>,
  embedded: string = EMBEDDED_MODELS,
  isBundle: boolean = IS_BUNDLE,
): string {
  const isReplaced = isBundle || models.split(sep).includes('node_modules');
  return models === embedded && isReplaced ? inWorkingFolder('models') : models;
}

/** Throws OperatorError if the models folder is that of a bundle, whose files must stay as they are. */
export function requireChangeable(
  { models }: Pick<Settings, 'models'>,
  embedded: string = EMBEDDED_MODELS,
  isBundle: boolean = IS_BUNDLE,
): void {
  if (models !== embedded || !isBundle) return;
  throw new OperatorError(
    'The manifest of the embedded model is part of the bundle and is not changed. Set models (DECIDER_MODELS) to a folder of your own.',
  );
}

/** Rejects with OperatorError if the manifest cannot be changed: before a measurement that is for it. */
export async function requireEditable(settings: Pick<Settings, 'models'>): Promise<void> {
  requireChangeable(settings);
  await requireWritableManifest(settings.models);
}
