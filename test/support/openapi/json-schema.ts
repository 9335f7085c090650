/** What the schemas of the OpenAPI document use of JSON Schema. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly description?: string;
}

export type Schemas = Readonly<Record<string, JsonSchema>>;

/** The name of the schema that a reference leads to. */
export const referenced = (reference: string): string => reference.replace('#/components/schemas/', '');

/** The types that a schema allows, as a list. */
export function typesOf({ type }: JsonSchema): readonly string[] {
  if (type === undefined) return [];
  return typeof type === 'string' ? [type] : type;
}
