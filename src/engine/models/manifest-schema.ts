import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';

const Text = Type.String({ minLength: 1 });

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });

const Build = Type.Object(
  {
    /** The build is named `<model id>-<date>` (contract 9 rule 2). */
    date: Type.String({ pattern: '^[0-9]{8}$' }),
    /** The GGUF, relative to the folder of the manifest. */
    file: Text,
    sha256: Sha256,
    /** The projector, which turns images into embeddings; its file is relative to the same folder. */
    projector: Type.Optional(Type.Object({ file: Text, sha256: Sha256 }, { additionalProperties: false })),
  },
  { additionalProperties: false },
);

const Model = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{0,62}$' }),
    description: Text,
    release_date: Type.Union([Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }), Type.Null()]),
    /** The last one answers for the model's id; the others only for their own names. */
    builds: Type.Array(Build, { minItems: 1 }),
    /** Other ids this model answers for. */
    answers_for: Type.Optional(Type.Array(Text)),
    /** A built-in format, for a GGUF without decision metadata. */
    profile: Type.Optional(Text),
    /** By `<type>` or `<type>.<bucket>`, for a GGUF without temperatures. */
    temperatures: Type.Optional(Type.Record(Type.String(), Type.Number())),
    /** The context window in tokens; absent: the one that the model was trained with. */
    context_length: Type.Optional(Type.Integer({ minimum: 64 })),
    /** If true, every build has a projector; otherwise none has one. */
    reads_images: Type.Boolean(),
    /** The model id in the price list whose price is charged. */
    price_class: Text,
    /** The weights are random: answers are meaningless, and the server says so when it starts. */
    random_weights: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

const Manifest = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    /** The id that answers if a request names no model. */
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

/** The first violation of the schema, with its place; null if there is none. */
export function schemaFault(value: unknown): string | null {
  const first = compiled.Errors(value)[0];
  if (first === undefined) return null;
  const place = first.instancePath.slice(1).replaceAll('/', '.') || 'the manifest';
  return `${place} ${first.keyword === 'boolean' ? 'is not a known key' : first.message}`;
}
