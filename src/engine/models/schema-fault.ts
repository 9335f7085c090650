import type { ErrorObject, ValidateFunction } from 'ajv';
import { didYouMean } from '../../base/index.js';
import { isManifest } from './manifest-check.js';
import { MANIFEST_SCHEMA } from './manifest-schema.js';

/** What each keyword of the manifest's schema requires of a value. */
const REQUIREMENTS: Readonly<Record<string, (params: ErrorObject['params']) => string>> = {
  type: ({ type }) => `must be of the type ${type}`,
  required: ({ missingProperty }) => `must have the key ${missingProperty}`,
  minLength: () => 'must not be empty',
  pattern: ({ pattern }) => `must match ${pattern}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  minItems: ({ limit }) => `must have at least ${limit} items`,
  maxItems: ({ limit }) => `must have at most ${limit} items`,
};

/** A part of the schema, as far as it says which keys there are. */
interface Keys {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, Keys>>;
  readonly items?: Keys;
  /** Without it, or with another value than false, every key is allowed. */
  readonly additionalProperties?: unknown;
}

/** What is wrong in a value, and the names and indexes that lead there. */
interface SchemaFault {
  readonly path: readonly string[];
  readonly sentence: string;
}

/**
 * The first place where a parsed value does not fit the schema of a manifest, and why; null if it fits. An unknown key
 * comes first: it is usually the misspelled name of a key that is therefore missing.
 */
export function schemaFault(value: unknown): SchemaFault | null {
  const check = isManifest as ValidateFunction;
  if (check(value)) return null;
  const [{ instancePath, keyword, params }] = check.errors as [ErrorObject];
  const unknown = unknownKey(value, MANIFEST_SCHEMA, []);
  if (unknown !== null) return unknown;
  const path = namesOf(instancePath);
  const requirement = REQUIREMENTS[keyword]?.(params) ?? `must fit the keyword ${keyword} of the schema`;
  return { path, sentence: `${path.join('.') || 'the manifest'} ${requirement}` };
}

/** The first key of a value that the schema does not have; null if it has all. */
function unknownKey(value: unknown, schema: Keys, path: readonly string[]): SchemaFault | null {
  if (typeof value !== 'object' || value === null) return null;
  const { items, properties = {}, additionalProperties } = schema;
  for (const [name, inner] of Object.entries(value)) {
    const [at, known] = [[...path, name], Array.isArray(value) ? items : ownKey(properties, name)];
    if (known === undefined && additionalProperties === false) {
      const meant = didYouMean(name, Object.keys(properties));
      return { path: at, sentence: `${at.join('.')} is not a known key${meant && `.${meant}`}` };
    }
    const found = known === undefined ? null : unknownKey(inner, known, at);
    if (found !== null) return found;
  }
  return null;
}

const ownKey = (properties: Readonly<Record<string, Keys>>, name: string): Keys | undefined =>
  Object.hasOwn(properties, name) ? properties[name] : undefined;

/** The names and indexes of a JSON pointer. */
function namesOf(pointer: string): string[] {
  const names = pointer.split('/').slice(1);
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}
