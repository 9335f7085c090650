import { indented, type JsonNode, object, text } from '../json/json-node.js';
import type { BuiltRequest } from './request.js';

/** A request with the data of its images in the expressions of a program, instead of in file parts. */
export function inline({ node, images }: BuiltRequest, expression: (at: number) => string): JsonNode {
  if (node.kind !== 'object' || images.length === 0) return node;
  const assets = object(
    images.map(({ name, format }, at) => [
      name,
      object([
        ['format', text(format)],
        ['data_base64', { kind: 'literal', source: expression(at) }],
      ]),
    ]),
  );
  return object(node.entries.map(([name, value]) => [name, name === 'assets' ? assets : value]));
}

/** A character that no JSON has. */
const MARK = '\0';

/** A literal for the value of a variable, which `templateLiteral` and `pythonText` put into a string. */
export const placeOf = (variable: string): string => `"${MARK}${variable}${MARK}"`;

/** JSON with the places of variables as a template literal of JavaScript. */
export const templateLiteral = (node: JsonNode): string =>
  `\`${quoted(node, /[\\`]|\$(?=\{)/g, (variable) => `\${${variable}}`)}\``;

/** JSON with the places of variables as a string of Python. */
export const pythonText = (node: JsonNode): string =>
  `'''${quoted(node, /[\\']/g, (variable) => `''' + ${variable} + '''`)}'''`;

/** JSON with a backslash before what the language would read otherwise. */
function quoted(node: JsonNode, special: RegExp, reference: (variable: string) => string): string {
  const parts = indented(node).replace(special, '\\$&').split(MARK);
  return parts.map((part, at) => (at % 2 === 0 ? part : reference(part))).join('');
}
