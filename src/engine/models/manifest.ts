import { join } from 'node:path';
import { OperatorError, readJsonFile } from '../../base/index.js';
import type { Manifest, ManifestBuild, ManifestModel } from './manifest-schema.js';

export type { Manifest, ManifestModel } from './manifest-schema.js';

/** A manifest or a model file cannot be used; one line names the file and the reason. */
export class ModelError extends OperatorError {
  override readonly name = 'ModelError';
}

/**
 * Reads and checks `manifest.json` of a models folder. Rejects with ModelError. The schema is imported here only: its
 * library is 683 modules, which threads that get a parsed manifest need not load.
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const file = join(folder, 'manifest.json');
  let value: unknown;
  try {
    value = readJsonFile(file);
  } catch (error) {
    throw new ModelError(`${file}: ${(error as Error).message}`);
  }
  const { schemaFault } = await import('./manifest-schema.js');
  const misfit = schemaFault(value);
  if (misfit !== null) throw new ModelError(`${file}: ${misfit}`);
  const manifest = value as Manifest;
  const fault = findFault(manifest);
  if (fault !== null) throw new ModelError(`${file}: ${fault}`);
  return manifest;
}

function findFault({ models, default: defaultId }: Manifest): string | null {
  const names = models.flatMap((model) => [
    model.id,
    ...(model.answers_for ?? []),
    ...model.builds.map((build) => buildId(model, build)),
  ]);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `the name ${twice} is given twice`;
  if (!names.includes(defaultId)) return `default names ${defaultId}, which is no model of the manifest`;
  const wrong = models.find(({ reads_images, builds }) =>
    builds.some(({ projector }) => (projector !== undefined) !== reads_images),
  );
  if (wrong !== undefined) {
    return wrong.reads_images
      ? `${wrong.id} reads images, but has a build without a projector`
      : `${wrong.id} has a projector, but reads no images`;
  }
  return null;
}

/** `<model id>-<yyyymmdd>` (contract 9 rule 2). */
export function buildId(model: ManifestModel, build: ManifestBuild): string {
  return `${model.id}-${build.date}`;
}

/** What llama.cpp writes around a reason: names of functions, and that loading failed. */
const AROUND = /^(?:\w+: )*(?:error: )?(?:error loading model: )?(?:failed to load model '.*': )?(?:\w+: )?/;
const NO_REASON = /^failed to load (?:CLIP )?model/i;

/** The line of llama.cpp's log that states why a file cannot be loaded. */
export function reason(log: string): string {
  const lines = log
    .split('\n')
    .map((line) => line.replace(AROUND, '').trim())
    .filter((line) => line !== '' && !NO_REASON.test(line));
  return lines.at(-1) ?? 'llama.cpp gives no reason';
}
