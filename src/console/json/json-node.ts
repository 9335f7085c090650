/** JSON with what `JSON.parse` loses: the order of entries, repeated keys, and numbers as they are written. */
export type JsonNode =
  | { readonly kind: 'text'; readonly value: string }
  /** A number, `true`, `false` or `null`. */
  | { readonly kind: 'literal'; readonly source: string }
  | { readonly kind: 'list'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'object'; readonly entries: ReadonlyArray<readonly [string, JsonNode]> };

export const NULL: JsonNode = { kind: 'literal', source: 'null' };
export const text = (value: string): JsonNode => ({ kind: 'text', value });
export const number = (value: number): JsonNode => ({ kind: 'literal', source: String(value) });
export const list = (items: readonly JsonNode[]): JsonNode => ({ kind: 'list', items });
export const object = (entries: ReadonlyArray<readonly [string, JsonNode]>): JsonNode => ({
  kind: 'object',
  entries,
});

/** How a language writes JSON values that its own literals differ in. */
export interface Dialect {
  literal(source: string): string;
  key(name: string): string;
}

const JSON_DIALECT: Dialect = { literal: (source) => source, key: (name) => JSON.stringify(name) };

/**
 * JSON indented by two spaces, as the model reads a state that is no text.
 *
 * @param start the line break and indentation of the line on which the value begins
 */
export function indented(node: JsonNode, start = '\n', dialect = JSON_DIALECT): string {
  if (node.kind === 'text') return JSON.stringify(node.value);
  if (node.kind === 'literal') return dialect.literal(node.source);
  const inner = `${start}  `;
  const parts =
    node.kind === 'list'
      ? node.items.map((item) => indented(item, inner, dialect))
      : node.entries.map(([name, value]) => `${dialect.key(name)}: ${indented(value, inner, dialect)}`);
  const [open, close] = node.kind === 'list' ? '[]' : '{}';
  return parts.length === 0 ? `${open}${close}` : `${open}${inner}${parts.join(`,${inner}`)}${start}${close}`;
}

/** The value of an object's field; the last one if it is repeated. */
export function field(node: JsonNode, name: string): JsonNode | undefined {
  if (node.kind !== 'object') return undefined;
  return node.entries.findLast(([key]) => key === name)?.[1];
}
