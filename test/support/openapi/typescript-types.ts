import { type JsonSchema, referenced, type Schemas, typesOf } from './json-schema.js';

/** The schemas of the OpenAPI document as one TypeScript interface: the text of a module. */
export function typescriptTypes(schemas: Schemas): string {
  const fields = Object.entries(schemas).map(([name, schema]) => fieldOf(name, schema, true, '  '));
  return [
    '// Long because it is written from the OpenAPI document: DOCS=write node dist/test/main.js docs/client-files',
    '',
    '/** The bodies of the HTTP interface, by their names in its OpenAPI document. */',
    'export interface ApiSchemas {',
    ...fields,
    '}',
    '',
  ].join('\n');
}

function fieldOf(name: string, schema: JsonSchema, required: boolean, indent: string): string {
  const comment = schema.description === undefined ? '' : `${indent}/** ${schema.description} */\n`;
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  const type = typeOf(schema, indent);
  return `${comment}${indent}readonly ${key}${required ? '' : '?'}: ${required ? type : `${type} | undefined`};`;
}

function typeOf(schema: JsonSchema, indent: string): string {
  const { $ref, const: constant, enum: values, anyOf, oneOf } = schema;
  if ($ref !== undefined) return `ApiSchemas[${JSON.stringify(referenced($ref))}]`;
  if (constant !== undefined) return JSON.stringify(constant);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  const either = anyOf ?? oneOf;
  if (either !== undefined) return union(either.map((each) => typeOf(each, indent)));
  const types = typesOf(schema);
  return types.length === 0 ? 'unknown' : union(types.map((type) => plainType(type, schema, indent)));
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

function plainType(type: string, schema: JsonSchema, indent: string): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array':
      return `readonly (${typeOf(schema.items ?? {}, indent)})[]`;
    case 'object':
      return objectType(schema, indent);
    default:
      return type;
  }
}

function objectType({ properties, required = [], additionalProperties }: JsonSchema, indent: string): string {
  if (properties === undefined) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown';
    return `{ readonly [name: string]: ${value} }`;
  }
  const fields = Object.entries(properties).map(([name, schema]) =>
    fieldOf(name, schema, required.includes(name), `${indent}  `),
  );
  return `{\n${fields.join('\n')}\n${indent}}`;
}
