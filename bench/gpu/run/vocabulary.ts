import { loadAddon, type OpenModel, openModel } from '../../../src/engine/index.js';
import { buildOf } from '../../engine/ours.js';

/** Opens a model without its weights: its dimensions, its vocabulary and its prompts. */
export function openVocabulary(file: string): { readonly model: OpenModel; close(): void } {
  const { addon } = loadAddon('cpu');
  const withoutWeights: typeof addon = Object.assign(Object.create(addon), {
    openModel: (options: Parameters<typeof addon.openModel>[0], onProgress: () => boolean) =>
      addon.openModel({ ...options, sizesOnly: true }, onProgress),
  });
  const model = openModel(withoutWeights, '', buildOf(file));
  return { model, close: () => addon.closeModel(model.handle) };
}
