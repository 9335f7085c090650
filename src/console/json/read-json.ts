import { parser } from '@lezer/json';
import type { JsonNode } from './json-node.js';

/** Deeper JSON is refused by the server too (`LIMITS.jsonDepth`). */
const DEPTH_MAX = 64;

/** A node of the syntax tree. */
type Syntax = ReturnType<typeof parser.parse>['topNode'];

/** Reads JSON in the order written. Throws SyntaxError, with the parser's message. */
export function readJson(source: string): JsonNode {
  JSON.parse(source);
  const value = parser.parse(source).topNode.firstChild;
  if (value === null) throw new SyntaxError('There is no value.');
  return read(value, source, 0);
}

function read(syntax: Syntax, source: string, depth: number): JsonNode {
  if (depth > DEPTH_MAX) throw new SyntaxError(`The JSON is nested more than ${DEPTH_MAX} levels deep.`);
  const written = source.slice(syntax.from, syntax.to);
  switch (syntax.name) {
    case 'String':
      return { kind: 'text', value: JSON.parse(written) };
    case 'Array':
      return { kind: 'list', items: values(syntax).map((item) => read(item, source, depth + 1)) };
    case 'Object':
      return {
        kind: 'object',
        entries: syntax.getChildren('Property').map((each) => entry(each, source, depth)),
      };
    default:
      return { kind: 'literal', source: written };
  }
}

function entry(property: Syntax, source: string, depth: number): readonly [string, JsonNode] {
  const name = property.getChild('PropertyName') as Syntax;
  const value = property.lastChild as Syntax;
  return [JSON.parse(source.slice(name.from, name.to)), read(value, source, depth + 1)];
}

const PUNCTUATION = new Set(['[', ']', ',', '⚠']);

function values(array: Syntax): Syntax[] {
  const found: Syntax[] = [];
  for (let child = array.firstChild; child !== null; child = child.nextSibling) {
    if (!PUNCTUATION.has(child.name)) found.push(child);
  }
  return found;
}
