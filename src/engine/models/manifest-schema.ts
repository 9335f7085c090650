import type { XStatic } from 'typebox/schema';

/** Maximum number of files of a split GGUF. */
export const SPLIT_FILES_MAX = 1_000;

const NAME = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/;

/**
 * The names of all files of a split GGUF, in order, from the name of one: `<name>-00001-of-00003.gguf`, as llama.cpp's
 * gguf-split writes them. Null if the name is not of this form, or its numbers are impossible.
 */
export function splitNames(file: string): string[] | null {
  const [, name = '', number, count] = NAME.exec(file) ?? [];
  const [at, of] = [Number(number), Number(count)];
  if (!(at >= 1 && at <= of && of <= SPLIT_FILES_MAX)) return null;
  return Array.from(
    { length: of },
    (_, index) => `${name}-${String(index + 1).padStart(5, '0')}-of-${count}.gguf`,
  );
}

// Plain data: the types are derived when the sources are checked, and no library is loaded.

const TEXT = { type: 'string', minLength: 1 } as const;
const SHA256 = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
/** By `<type>` or `<type>.<bucket>`. */
const TEMPERATURES = { type: 'object', additionalProperties: { type: 'number' } } as const;

/** Paths are relative to the folder of the manifest, or absolute. */
const FILE = {
  type: 'object',
  required: ['file', 'sha256'],
  properties: { file: TEXT, sha256: SHA256 },
  additionalProperties: false,
} as const;

const BUILD = {
  type: 'object',
  required: ['date', 'file', 'sha256'],
  properties: {
    /** The build is named `<model id>-<date>` (contract 9 rule 2). */
    date: { type: 'string', pattern: '^[0-9]{8}$' },
    /** The GGUF, or the first file of a split one, named `<name>-00001-of-<count>.gguf`. */
    file: TEXT,
    sha256: SHA256,
    /**
     * What `decider eval --fit` found for this build. For the question types named, they replace those of the GGUF and of
     * the model.
     */
    temperatures: TEMPERATURES,
    /** The other files of a split GGUF, in order, next to the first. */
    parts: { type: 'array', items: FILE, minItems: 1, maxItems: SPLIT_FILES_MAX - 1 },
    /** The projector, which turns images into embeddings. */
    projector: FILE,
  },
  additionalProperties: false,
} as const;

/** Replaces the settings of the same names in `engine`, for all builds of a model. */
const ENGINE = {
  type: 'object',
  properties: {
    /** Names of GPUs. */
    devices: { type: 'array', items: TEXT, minItems: 1 },
    /** Per device. */
    contexts: { type: 'integer', minimum: 1, maximum: 8 },
    /** Cells per context. */
    cells: { type: 'integer', minimum: 256, maximum: 1_048_576 },
    wave_tokens: { type: 'integer', minimum: 1, maximum: 65_536 },
    /** Per context. */
    sequences: { type: 'integer', minimum: 2, maximum: 255 },
    /** Per context. */
    threads: { type: 'integer', minimum: 1, maximum: 512 },
    /** Maximum percentage of a wave for batches beside live requests. */
    batch_percent: { type: 'integer', minimum: 1, maximum: 100 },
    /** Where these settings come from: written by `decider tune --write`, read by `decider doctor`. */
    tuned: {
      type: 'object',
      required: ['device', 'date', 'goal'],
      properties: {
        /** The GPU or the processor that was measured. */
        device: TEXT,
        /** The UTC day. */
        date: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' },
        goal: TEXT,
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const;

const MODEL = {
  type: 'object',
  required: ['id', 'description', 'release_date', 'builds', 'reads_images', 'price_class'],
  properties: {
    id: { type: 'string', pattern: '^[a-z0-9][a-z0-9.-]{0,62}$' },
    description: TEXT,
    release_date: {
      anyOf: [{ type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }, { type: 'null' }],
    },
    /** The last one answers for the model's id; the others only for their own names. */
    builds: { type: 'array', items: BUILD, minItems: 1 },
    /** Other ids this model answers for. */
    answers_for: { type: 'array', items: TEXT },
    /** A built-in format, for a GGUF without decision metadata. */
    profile: TEXT,
    /** For a GGUF without temperatures. */
    temperatures: TEMPERATURES,
    /** The context window in tokens; absent: the one that the model was trained with. */
    context_length: { type: 'integer', minimum: 64 },
    /** Where and how large the model's contexts are, if not as the settings say. */
    engine: ENGINE,
    /** If true, every build has a projector; otherwise none has one. */
    reads_images: { type: 'boolean' },
    /** The model id in the price list whose price is charged. */
    price_class: TEXT,
    /** The weights are random: answers are meaningless, and the server says so when it starts. */
    random_weights: { type: 'boolean' },
    /** What the model was trained for, if that is narrow; the server says so when it starts. */
    domain: TEXT,
  },
  additionalProperties: false,
} as const;

/** The JSON Schema of `manifest.json`; `models/manifest.schema.json` and `manifest-check.ts` are written from it. */
export const MANIFEST_SCHEMA = {
  type: 'object',
  required: ['default', 'models'],
  properties: {
    $schema: { type: 'string' },
    /** The id that answers if a request names no model. */
    default: TEXT,
    models: { type: 'array', items: MODEL, minItems: 1 },
  },
  additionalProperties: false,
} as const;

export type Manifest = XStatic<typeof MANIFEST_SCHEMA>;
export type ManifestModel = XStatic<typeof MODEL>;
export type ManifestBuild = XStatic<typeof BUILD>;
