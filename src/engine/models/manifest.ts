import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { readJsonFile } from '../../base/index.js';

const Text = Type.String({ minLength: 1 });

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });

const Build = Type.Object(
  {
    /** The build is named `<model id>-<date>` (contract 9 rule 2). */
    date: Type.String({ pattern: '^[0-9]{8}$' }),
    /** The GGUF, relative to the folder of the manifest. */
    file: Text,
    sha256: Sha256,
    /** What turns images into embeddings, likewise. */
    projector: Type.Optional(Type.Object({ file: Text, sha256: Sha256 }, { additionalProperties: false })),
  },
  { additionalProperties: false },
);

const Model = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{0,62}$' }),
    description: Text,
    release_date: Type.Union([Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }), Type.Null()]),
    /** The last one answers for the model's id; the others for their own names. */
    builds: Type.Array(Build, { minItems: 1 }),
    /** Other ids this model answers for. */
    answers_for: Type.Optional(Type.Array(Text)),
    /** A built-in format, for a GGUF that says nothing of itself. */
    profile: Type.Optional(Text),
    /** `<type>` or `<type>.<bucket>`, where the GGUF says nothing. */
    temperatures: Type.Optional(Type.Record(Type.String(), Type.Number())),
    /** The window in tokens; the one the model was trained with where absent. */
    context_length: Type.Optional(Type.Integer({ minimum: 64 })),
    /** Then every build has a projector, and otherwise none. */
    reads_images: Type.Boolean(),
    /** Whose price is charged: a model id of the price list. */
    price_class: Text,
    /** The weights are random: the answers mean nothing, and the start says so. */
    random_weights: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

const Manifest = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    /** The id that answers where a request names no model. */
    default: Text,
    models: Type.Array(Model, { minItems: 1 }),
  },
  { additionalProperties: false },
);

/** The JSON Schema of `manifest.json`; `models/manifest.schema.json` is written from it. */
export const MANIFEST_SCHEMA = Manifest;
export type Manifest = Static<typeof Manifest>;
export type ManifestModel = Static<typeof Model>;
export type ManifestBuild = Static<typeof Build>;

const compiled = Compile(Manifest);

/** A manifest or a model file cannot be used; one line names the file and the reason. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

/** Reads and checks `manifest.json` of a models folder. Throws ModelError. */
export function readManifest(folder: string): Manifest {
  const file = join(folder, 'manifest.json');
  let value: unknown;
  try {
    value = readJsonFile(file);
  } catch (error) {
    throw new ModelError(`${file}: ${(error as Error).message}`);
  }
  const first = compiled.Errors(value)[0];
  if (first !== undefined) {
    const place = first.instancePath.slice(1).replaceAll('/', '.') || 'the manifest';
    const fault = first.keyword === 'boolean' ? 'is not a known key' : first.message;
    throw new ModelError(`${file}: ${place} ${fault}`);
  }
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
