import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Kit, readJson } from './kit.js';
import type { MadeModel } from './make-model-process.js';

/** The weights that are compared: as trained, and half as large. */
export type Weights = 'full' | 'q8_0';

/** A 12B on a GPU; on a CPU a model with which every step ends in seconds, which shows that the kit runs. */
const NAMES = { cuda: '12B', cpu: 'smallest' } as const;
const FULL = { cuda: 'bf16', cpu: 'f16' } as const;

export const weightType = (kit: Kit, weights: Weights): string =>
  weights === 'full' ? FULL[kit.backend] : weights;

/** Makes a model with these weights, once, and a folder with a manifest of it. */
export async function makeModel(kit: Kit, weights: Weights, stop: AbortSignal): Promise<MadeModel> {
  const made = await modelOf(kit, weights, stop);
  writeManifest(modelFolder(kit, weights), `kit-${weightType(kit, weights).replace('_', '-')}`, made);
  return made;
}

/** Writes the manifest of one model. */
export function writeManifest(
  folder: string,
  id: string,
  { file, sha256, projector }: Pick<MadeModel, 'file' | 'sha256'> & Partial<Pick<MadeModel, 'projector'>>,
): void {
  const model = {
    id,
    description: 'Random weights. Its answers mean nothing.',
    release_date: null,
    builds: [{ date: '20260101', file, sha256, ...(projector && { projector }) }],
    profile: 'letters',
    context_length: 8_192,
    reads_images: projector !== undefined,
    price_class: 'decider-g-12b',
    random_weights: true,
  };
  writeFileSync(
    join(folder, 'manifest.json'),
    `${JSON.stringify({ default: id, models: [model] }, null, 1)}\n`,
  );
}

async function modelOf(kit: Kit, weights: Weights, stop: AbortSignal): Promise<MadeModel> {
  const note = join(modelFolder(kit, weights), 'model.json');
  if (existsSync(note)) return readJson(note) as MadeModel;
  const args = [NAMES[kit.backend], weightType(kit, weights)];
  const printed = await kit.script('dist/bench/gpu/run/make-model-process.js', args, { stop });
  const [line = ''] = printed.trim().split('\n').slice(-1);
  const made = JSON.parse(line) as MadeModel;
  writeFileSync(note, JSON.stringify(made));
  return made;
}

/** The folder of the manifest, for `DECIDER_MODELS`. */
export const modelFolder = (kit: Kit, weights: Weights): string => kit.folder(`models-${weights}`);
