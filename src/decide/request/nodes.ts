import type { JsonNode } from '../types.js';

type ObjectNode = Extract<JsonNode, { kind: 'object' }>;

/** A field of an object, the last one where it was sent twice, as for `JSON.parse`. `null` reads as absent. */
export function field(node: ObjectNode, name: string): JsonNode | undefined {
  const value = node.entries.findLast(([key]) => key === name)?.[1];
  return value === undefined || isNull(value) ? undefined : value;
}

/** A text, or `null` for JSON's `null`; `undefined` for any other value. */
export function textOrNull(node: JsonNode): string | null | undefined {
  if (node.kind === 'text') return node.value;
  return isNull(node) ? null : undefined;
}

function isNull(node: JsonNode): boolean {
  return node.kind === 'literal' && node.source === 'null';
}

/** The first text that an earlier one equals, or `undefined`. */
export function firstRepeated(texts: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return texts.find((text) => seen.size === seen.add(text).size);
}

/** A field that is `null` reads as one that was not sent. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}
