import type { JsonNode } from '../decide-types.js';

type ObjectNode = Extract<JsonNode, { kind: 'object' }>;

/** A field of an object; the last one if it is repeated, as for `JSON.parse`. `null` counts as absent. */
export function field(node: ObjectNode, name: string): JsonNode | undefined {
  const value = node.entries.findLast(([key]) => key === name)?.[1];
  return value === undefined || isNull(value) ? undefined : value;
}

/** A string's value, or `null` for `null`; `undefined` for any other value. */
export function textOrNull(node: JsonNode): string | null | undefined {
  if (node.kind === 'text') return node.value;
  return isNull(node) ? null : undefined;
}

/** The field `json` of a text node as a part of an object; empty if it has none. */
export const jsonOf = (node: JsonNode | undefined): { readonly json?: JsonNode } =>
  node?.kind === 'text' && node.json !== undefined ? { json: node.json } : {};

function isNull(node: JsonNode): boolean {
  return node.kind === 'literal' && node.source === 'null';
}

/** The first string that occurred before, or `undefined`. */
export function firstRepeated(texts: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return texts.find((text) => seen.size === seen.add(text).size);
}

/** Whether a field is missing or `null`. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}
