import { join } from 'node:path';
import { OperatorError, placeInJson, readJsonText, showPlace } from '../../base/index.js';
import { type Manifest, type ManifestBuild, type ManifestModel, splitNames } from './manifest-schema.js';
import { schemaFault } from './schema-fault.js';

export type { Manifest, ManifestModel } from './manifest-schema.js';

/** A manifest or a model file cannot be used; one line names the file and the reason. */
export class ModelError extends OperatorError {
  override readonly name = 'ModelError';
}

/** The name of the manifest in a models folder. */
export const MANIFEST_FILE = 'manifest.json';

/** Reads and checks `manifest.json` of a models folder. Rejects with ModelError. */
export async function readManifest(folder: string): Promise<Manifest> {
  const file = join(folder, MANIFEST_FILE);
  let read: ReturnType<typeof readJsonText>;
  try {
    read = readJsonText(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const hint = code === 'ENOENT' ? '. Set models (DECIDER_MODELS) to the folder that has it.' : '';
    throw new ModelError(`${file}: ${message}${hint}`);
  }
  const { value, text } = read;
  const wrong = schemaFault(value);
  if (wrong !== null) {
    throw new ModelError(`${file}${showPlace(placeInJson(text, wrong.path))}: ${wrong.sentence}`);
  }
  const fault = findFault(value as Manifest);
  if (fault !== null) throw new ModelError(`${file}: ${fault}`);
  return value as Manifest;
}

/** Why a value is not a valid manifest; null if it is one. */
export function manifestFault(value: unknown): string | null {
  return schemaFault(value)?.sentence ?? findFault(value as Manifest);
}

function findFault({ models, default: defaultId }: Manifest): string | null {
  const names = models.flatMap((model) => [
    model.id,
    ...(model.answers_for ?? []),
    ...model.builds.map((build) => buildId(model, build)),
  ]);
  const twice = twiceIn(names);
  if (twice !== undefined) return `the name ${twice} is given twice`;
  if (!names.includes(defaultId)) return `default names ${defaultId}, which is no model of the manifest`;
  const split = models.flatMap(({ builds }) => builds).find((build) => splitFault(build) !== null);
  if (split !== undefined) return splitFault(split);
  const repeated = models.find(({ engine }) => twiceIn(engine?.devices ?? []) !== undefined);
  if (repeated !== undefined)
    return `${repeated.id}: engine.devices names ${twiceIn(repeated.engine?.devices ?? [])} twice`;
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

const twiceIn = (names: readonly string[]) => names.find((name, index) => names.indexOf(name) !== index);

/** llama.cpp opens the first file of a split GGUF and derives the names of the others from it. */
function splitFault({ file, parts = [] }: ManifestBuild): string | null {
  const names = splitNames(file);
  if (names === null)
    return parts.length === 0 ? null : `${file} has parts, but is not named as a split GGUF`;
  const [first, ...others] = names;
  if (file !== first)
    return `${file} is not the first file of a split GGUF: name ${first}, and the others in parts`;
  const at = others.findIndex((name, index) => parts[index]?.file !== name);
  if (at >= 0) return `${file}: its parts must name ${others[at]}`;
  return parts.length > others.length ? `${file} has more parts than its name says` : null;
}

/** `<model id>-<yyyymmdd>` (contract 9 rule 2). */
export function buildId(model: ManifestModel, build: ManifestBuild): string {
  return `${model.id}-${build.date}`;
}

/** The build of a model with the latest date, which answers for its id and its aliases, wherever the list has it. */
export const newestOf = ({ builds }: Pick<ManifestModel, 'builds'>): ManifestBuild =>
  builds.reduce((newest, build) => (build.date > newest.date ? build : newest));

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
