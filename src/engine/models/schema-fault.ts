/** The keywords of the manifest's schema. */
export interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** `false`: no fields but `properties`; absent: any. */
  readonly additionalProperties?: false | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: Number.isFinite,
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/**
 * The first place where a parsed value does not fit a schema, and why; null if it fits. Written here because the
 * library that tests compare it with is 220 modules or more, and every start of a server reads a manifest.
 */
export function schemaFault(schema: Schema, value: unknown, place = ''): string | null {
  const { anyOf } = schema;
  if (anyOf !== undefined) {
    const faults = anyOf.map((each) => schemaFault(each, value, place));
    return faults.includes(null) ? null : (faults[0] ?? null);
  }
  const own = ownFault(schema, value);
  if (own !== null) return `${place || 'the manifest'} ${own}`;
  for (const [name, part, schemaOfPart] of partsOf(schema, value)) {
    const at = place === '' ? name : `${place}.${name}`;
    if (schemaOfPart === false) return `${at} is not a known key`;
    const fault = schemaFault(schemaOfPart, part, at);
    if (fault !== null) return fault;
  }
  return null;
}

/** Why a value does not fit apart from its parts; null if it does. */
function ownFault(schema: Schema, value: unknown): string | null {
  const { type, pattern, minimum = -Infinity, maximum = Infinity } = schema;
  const { minLength = 0, minItems = 0, maxItems = Infinity } = schema;
  if (type !== undefined && !TYPES[type]?.(value)) return `must be of the type ${type}`;
  if (typeof value === 'string') {
    if (value.length < minLength) return 'must not be empty';
    return pattern === undefined || new RegExp(pattern, 'u').test(value) ? null : `must match ${pattern}`;
  }
  if (typeof value === 'number') {
    if (value < minimum) return `must be at least ${minimum}`;
    return value > maximum ? `must be at most ${maximum}` : null;
  }
  if (Array.isArray(value)) {
    if (value.length < minItems) return `must have at least ${minItems} items`;
    return value.length > maxItems ? `must have at most ${maxItems} items` : null;
  }
  const missing = schema.required?.find((name) => !Object.hasOwn(value as object, name));
  return missing === undefined ? null : `must have the key ${missing}`;
}

/** The parts of a value with their schemas; `false`: there must be no such part. */
function partsOf(
  schema: Schema,
  value: unknown,
): Array<[name: string, part: unknown, schema: Schema | false]> {
  if (Array.isArray(value)) return value.map((part, at) => [String(at), part, schema.items ?? {}]);
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {}, additionalProperties = {} } = schema;
  return Object.entries(value).map(([name, part]) => [
    name,
    part,
    Object.hasOwn(properties, name) ? (properties[name] as Schema) : additionalProperties,
  ]);
}
