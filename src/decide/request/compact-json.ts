import type { JsonNode } from '../decide-types.js';
import { readOrdered } from './ordered-json.js';

/**
 * JSON without spaces. Equal values in the same order give equal texts, apart from the forms of numbers.
 *
 * @param source valid JSON, as the scan of a body accepts it
 */
export const compactJson = (source: string): string => compact(readOrdered(source));

function compact(node: JsonNode): string {
  switch (node.kind) {
    case 'object':
      return `{${node.entries.map(([key, value]) => `${JSON.stringify(key)}:${compact(value)}`).join(',')}}`;
    case 'array':
      return `[${node.items.map(compact).join(',')}]`;
    case 'text':
      return JSON.stringify(node.value);
    case 'literal':
      return node.source;
  }
}
