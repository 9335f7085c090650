import { OperatorError } from '../base/index.js';
import { BUILT_IN_FORMATS, type NewBuild } from '../engine/index.js';
import type { Settings } from '../settings/index.js';
import { readWhole } from './arguments.js';
import type { Options } from './output.js';

/** Options of `models pull` and `models add` that set values of the manifest. */
export interface ModelOptions extends Options {
  readonly id?: string;
  readonly date?: string;
  readonly description?: string;
  readonly profile?: string;
  readonly contextLength?: string;
  readonly priceClass?: string;
  readonly projector?: string;
  readonly default?: boolean;
}

/** What a source of files says about a build; options replace it. */
interface BuildFacts {
  /** The name of the first file. */
  readonly fileName: string;
  /** When the weights were published, in milliseconds since 1970; null if unknown. */
  readonly released: number | null;
  readonly description: string;
}

/** A file as the manifest names it. */
interface ManifestFile {
  readonly file: string;
  readonly sha256: string;
}

/** A build with its files: the GGUF or the files of a split one, and the projector. */
export function buildWith(
  { date, ...values }: ReturnType<typeof newBuild>,
  model: readonly ManifestFile[],
  projector: ManifestFile | null,
): NewBuild {
  const entry = ({ file, sha256 }: ManifestFile) => ({ file, sha256 });
  const [first, ...parts] = model.map(entry);
  return {
    ...values,
    model: { ...values.model, reads_images: projector !== null },
    build: {
      date,
      ...(first as ManifestFile),
      ...(parts.length === 0 ? {} : { parts }),
      ...(projector === null ? {} : { projector: entry(projector) }),
    },
  };
}

const ID_LENGTH_MAX = 63;
const CONTEXT_MIN = 64;
/** Ids that no model can have, and what they mean. */
const RESERVED: Readonly<Record<string, string>> = {
  /** Of `decider workspaces models`. */
  all: 'every model',
  /** What the clients send on `/v1/decisions` for a request that names no model. */
  default: 'the default model',
};

/**
 * The manifest's values for a build, from options and from what its source says; `now` dates a build of unknown age. The
 * files are added by the caller. Throws OperatorError, which names the option.
 */
export function newBuild(
  options: ModelOptions,
  facts: BuildFacts,
  { billing }: Pick<Settings, 'billing'>,
  now: number,
): Omit<NewBuild, 'build'> & { readonly date: string } {
  const named = nameFrom(facts.fileName);
  const id = options.id ?? named.id;
  if (!/^[a-z0-9][a-z0-9.-]{0,62}$/.test(id)) {
    throw new OperatorError(
      `--id: ${JSON.stringify(id)} must have 1 to ${ID_LENGTH_MAX} lowercase letters, digits, points and hyphens, and start with a letter or digit.`,
    );
  }
  const meaning = Object.hasOwn(RESERVED, id) ? RESERVED[id] : undefined;
  if (meaning !== undefined) {
    throw new OperatorError(`--id: "${id}" means ${meaning} in a request or a command. Give another id.`);
  }
  const day = new Date(facts.released ?? now).toISOString().slice(0, 10);
  const date = options.date ?? named.date ?? day.replaceAll('-', '');
  if (!isDay(date))
    throw new OperatorError(`--date: ${JSON.stringify(date)} is not a day of the calendar such as 20261121.`);
  const profile = readProfile(options.profile);
  const contextLength = readContextLength(options.contextLength);
  const model = {
    id,
    description: options.description ?? facts.description,
    release_date: facts.released === null ? null : day,
    ...(profile === undefined ? {} : { profile }),
    ...(contextLength === undefined ? {} : { context_length: contextLength }),
    reads_images: false,
    price_class: readPriceClass(options.priceClass, id, billing.prices),
  };
  const given = [
    ...(options.description === undefined ? [] : ['description' as const]),
    ...(profile === undefined ? [] : ['profile' as const]),
    ...(contextLength === undefined ? [] : ['context_length' as const]),
    ...(options.priceClass === undefined ? [] : ['price_class' as const]),
  ];
  return { date, model, given, idGiven: options.id !== undefined, makeDefault: options.default ?? false };
}

/** A date at the end of a name: `nano-20261124`. */
const DATED = /^(.+)-(20\d{6})$/;

/** Whether a text such as `20261124` is a day of the calendar. */
function isDay(text: string): boolean {
  const [, ...parts] = /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? [];
  const day = parts.join('-');
  const instant = Date.parse(`${day}T00:00:00Z`);
  // Date counts on past the end of a month.
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(day);
}

/**
 * The id that the name of a file gives: `Qwen2.5-0.5B-Instruct-Q4_K_M.gguf` becomes `qwen2.5-0.5b-instruct-q4-k-m`. A day at
 * its end is the date of the build, so that the build has one date in its name: `nano-20261124.gguf` becomes `nano`.
 */
function nameFrom(fileName: string): { readonly id: string; readonly date: string | null } {
  const stem = fileName.replace(/(?:-\d{5}-of-\d{5})?\.gguf$/i, '').toLowerCase();
  const plain = stem
    .replace(/[^a-z0-9.]+/g, '-')
    .slice(0, ID_LENGTH_MAX)
    .replace(/^[-.]+|[-.]+$/g, '');
  const [, id, date] = DATED.exec(plain) ?? [];
  if (id !== undefined && date !== undefined && isDay(date)) return { id: id.replace(/[-.]+$/, ''), date };
  return { id: plain === '' ? 'model' : plain, date: null };
}

function readProfile(name: string | undefined): string | undefined {
  if (name === undefined || Object.hasOwn(BUILT_IN_FORMATS, name)) return name;
  throw new OperatorError(`--profile: ${name} is not one of ${Object.keys(BUILT_IN_FORMATS).join(', ')}.`);
}

function readContextLength(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const tokens = readWhole(text);
  if (tokens >= CONTEXT_MIN) return tokens;
  throw new OperatorError(`--context-length must be a number of tokens, at least ${CONTEXT_MIN}.`);
}

/** By default the class named as the model, else the first of the price list: a model without a class cannot be served. */
function readPriceClass(given: string | undefined, id: string, prices: ReadonlyMap<string, unknown>): string {
  const chosen = given ?? (prices.has(id) ? id : [...prices.keys()][0]);
  if (chosen !== undefined && prices.has(chosen)) return chosen;
  throw new OperatorError(
    `--price-class: billing.prices has no ${chosen}. It has: ${[...prices.keys()].join(', ')}.`,
  );
}
