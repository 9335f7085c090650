// Writes the models of the kit in a process of its own, because it blocks its thread, and prints where they are as JSON:
// make-model-process.js NAME TYPE, with NAME `12B` and TYPE `bf16` or `q8_0`, or NAME `smallest` and TYPE `f16` or `q8_0`.
import { statSync } from 'node:fs';
import { writeTinyProjector } from '../../../models/tiny/index.js';
import { sha256OfFile } from '../../../src/base/index.js';
import { loadAddon } from '../../../src/engine/index.js';
import { largeModel, smallestModelOf, type WeightType } from '../../engine/models.js';
import { openVocabulary } from './vocabulary.js';

/** The files of a model, with their SHA-256. */
export interface MadeModel {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Its projector, which is tiny: only the share of the server in requests with images can be measured. */
  readonly projector: { readonly file: string; readonly sha256: string };
}

const [name = '', type = ''] = process.argv.slice(2);
const file =
  name === 'smallest' ? smallestModelOf(type as WeightType, loadAddon('cpu').addon) : largeModel(name, type);
const { model, close } = openVocabulary(file);
const projector = `${file}.projector.gguf`;
writeTinyProjector(projector, { kind: 'gemma4uv', width: model.description.embeddingLength });
close();
const made: MadeModel = {
  file,
  bytes: statSync(file).size,
  sha256: await sha256OfFile(file),
  projector: { file: projector, sha256: await sha256OfFile(projector) },
};
console.log(JSON.stringify(made));
