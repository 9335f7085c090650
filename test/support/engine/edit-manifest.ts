// Adds names to the first model of a manifest, one edit per name. Arguments: folder, prefix of the names, their number.
import { editManifest } from '../../../src/engine/index.js';

const [folder = '', prefix = '', count = '0'] = process.argv.slice(2);
for (let at = 0; at < Number(count); at += 1) {
  await editManifest(folder, (manifest) => ({
    ...manifest,
    models: manifest.models.map((model) => ({
      ...model,
      answers_for: [...(model.answers_for ?? []), `${prefix}-${at}`],
    })),
  }));
}
