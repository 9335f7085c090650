import { type JsonSchema, referenced, type Schemas, typesOf } from './json-schema.js';

/** Names of types inside others, in place of those that follow from where they stand. */
const NAMES: Readonly<Record<string, string>> = {
  DecideRequestQuestionsValue1: 'NoulQuestion',
  DecideRequestQuestionsValue2: 'ChoiceQuestion',
  DecideRequestQuestionsValue3: 'ScoreQuestion',
  DecideResponseAnswersValue1: 'NoulAnswer',
  DecideResponseAnswersValue2: 'ChoiceAnswer',
  DecideResponseAnswersValue3: 'ScoreAnswer',
};

/** The schemas of the OpenAPI document as TypedDicts: the text of a Python module. */
export function pythonTypes(schemas: Schemas): string {
  const classes: string[] = [];
  const aliases: string[] = [];
  for (const [name, schema] of Object.entries(schemas)) {
    const type = typeOf(schema, name, classes);
    if (type !== `"${name}"`) aliases.push(`${name} = ${type}`);
  }
  return [
    '"""The bodies of the HTTP interface, by their names in its OpenAPI document.',
    '',
    'Written from that document: DOCS=write node dist/test/main.js docs/client-files',
    '"""',
    '',
    'from __future__ import annotations',
    '',
    'from typing import Any, Dict, List, Literal, TypedDict, Union',
    '',
    ...classes,
    ...aliases,
    '',
  ].join('\n');
}

/** A type as a Python expression. The classes that it needs are added to `classes`, each after those it names. */
function typeOf(schema: JsonSchema, place: string, classes: string[]): string {
  const { $ref, const: constant, enum: values, anyOf, oneOf } = schema;
  if ($ref !== undefined) return `"${referenced($ref)}"`;
  if (constant !== undefined)
    return typeof constant === 'string' ? literal([constant]) : numberType(constant);
  if (values !== undefined) return literal(values);
  const either = anyOf ?? oneOf;
  if (either !== undefined) {
    return union(either.map((each, at) => typeOf(each, `${place}${at + 1}`, classes)));
  }
  const types = typesOf(schema);
  return types.length === 0 ? 'Any' : union(types.map((type) => plainType(type, schema, place, classes)));
}

const literal = (values: readonly unknown[]): string =>
  `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
const numberType = (value: unknown): string => (typeof value === 'boolean' ? 'bool' : 'int');

function union(types: readonly string[]): string {
  const all = [...new Set(types)];
  return all.length === 1 ? (all[0] as string) : `Union[${all.join(', ')}]`;
}

function plainType(type: string, schema: JsonSchema, place: string, classes: string[]): string {
  switch (type) {
    case 'string':
      return 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    case 'array':
      return `List[${typeOf(schema.items ?? {}, `${place}Item`, classes)}]`;
    default:
      return objectType(schema, place, classes);
  }
}

function objectType(schema: JsonSchema, place: string, classes: string[]): string {
  const { properties, required = [], additionalProperties } = schema;
  if (properties === undefined) {
    const value =
      typeof additionalProperties === 'object'
        ? typeOf(additionalProperties, `${place}Value`, classes)
        : 'Any';
    return `Dict[str, ${value}]`;
  }
  const name = NAMES[place] ?? place;
  const fields = Object.entries(properties).map(
    ([field, each]) => [field, typeOf(each, place + camel(field), classes)] as const,
  );
  const must = fields.filter(([field]) => required.includes(field));
  const may = fields.filter(([field]) => !required.includes(field));
  // A class for each: a field that may be absent is a matter of the whole class before Python 3.11.
  if (may.length === 0) classes.push(dictOf(name, 'TypedDict', must, ''));
  else if (must.length === 0) classes.push(dictOf(name, 'TypedDict', may, ', total=False'));
  else {
    classes.push(dictOf(`_${name}`, 'TypedDict', must, ''));
    classes.push(dictOf(name, `_${name}`, may, ', total=False'));
  }
  return `"${name}"`;
}

type Field = readonly [name: string, type: string];
/** Words of Python that the interface uses as names of fields. */
const RESERVED: ReadonlySet<string> = new Set(['from']);

function dictOf(name: string, base: string, fields: readonly Field[], more: string): string {
  if (fields.some(([field]) => RESERVED.has(field))) {
    const entries = fields.map(([field, type]) => `        ${JSON.stringify(field)}: ${type},`);
    return `${name} = TypedDict(\n    "${name}",\n    {\n${entries.join('\n')}\n    },\n)\n`;
  }
  const lines = fields.map(([field, type]) => `    ${field}: ${type}`);
  return `\nclass ${name}(${base}${more}):\n${lines.join('\n')}\n`;
}

const camel = (field: string): string =>
  field
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
