import type { ErrorObject, ValidateFunction } from 'ajv';
import { isManifest } from './manifest-check.js';

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

/** The first place where a parsed value does not fit the schema of a manifest, and why; null if it fits. */
export function schemaFault(value: unknown): string | null {
  const check = isManifest as ValidateFunction;
  if (check(value)) return null;
  const [{ instancePath, keyword, params }] = check.errors as [ErrorObject];
  const path = namesOf(instancePath);
  if (keyword === 'additionalProperties') {
    return `${[...path, params.additionalProperty].join('.')} is not a known key`;
  }
  const requirement = REQUIREMENTS[keyword]?.(params) ?? `must fit the keyword ${keyword} of the schema`;
  return `${path.join('.') || 'the manifest'} ${requirement}`;
}

/** The names and indexes of a JSON pointer. */
function namesOf(pointer: string): string[] {
  const names = pointer.split('/').slice(1);
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}
