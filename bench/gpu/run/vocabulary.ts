import { loadAddon, type OpenModel, openModel } from '../../../src/engine/index.js';
import { buildOf } from '../../engine/ours.js';

/** Opens a model without its weights: its dimensions, its vocabulary and its prompts. */
export function openVocabulary(file: string): { readonly model: OpenModel; close(): void } {
  const { addon } = loadAddon('cpu');
  const model = openModel(addon, '', buildOf(file), { sizesOnly: true });
  return { model, close: () => addon.closeModel(model.handle) };
}
