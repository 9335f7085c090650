import type { JsonNode } from '../decide/index.js';
import type { StateForm } from './report.js';

/** The name of the only value of a state that is a string, and of an object that is put into another. */
const NAME = 'state';

/**
 * One state in three forms, each as JSON: `text`, a line `path: value` per value; `flat`, an object of values by path;
 * `nested`, objects within objects. Paths join names and positions with dots. A state that is a string is `text` as it
 * is, `{"state": …}` as `flat`, and `{"input": {"state": …}}` as `nested`. An object without inner objects is its own
 * `flat` form, and `nested` within `{"state": …}`.
 */
export function stateForms(state: JsonNode): Record<StateForm, string> {
  if (state.kind === 'text') {
    const json = JSON.stringify(state.value);
    return { text: json, flat: `{"${NAME}":${json}}`, nested: `{"input":{"${NAME}":${json}}}` };
  }
  const leaves = [...leavesOf(state, '')];
  const lines = leaves.map(([path, leaf]) => `${path}: ${leaf.kind === 'text' ? leaf.value : jsonOf(leaf)}`);
  const flat = leaves.map(([path, leaf]) => `${JSON.stringify(path)}:${jsonOf(leaf)}`);
  const isFlat = childrenOf(state).every(([, child]) => childrenOf(child).length === 0);
  return {
    text: JSON.stringify(lines.join('\n')),
    flat: `{${flat.join(',')}}`,
    nested: isFlat ? `{"${NAME}":${jsonOf(state)}}` : jsonOf(state),
  };
}

/** Strings, literals, and empty objects and arrays, with their paths. */
function* leavesOf(node: JsonNode, path: string): Generator<readonly [path: string, leaf: JsonNode]> {
  const inner = childrenOf(node);
  if (inner.length === 0) yield [path === '' ? NAME : path, node];
  for (const [name, child] of inner) yield* leavesOf(child, path === '' ? name : `${path}.${name}`);
}

function childrenOf(node: JsonNode): ReadonlyArray<readonly [string, JsonNode]> {
  if (node.kind === 'object') return node.entries;
  return node.kind === 'array' ? node.items.map((item, index) => [String(index), item]) : [];
}

function jsonOf(node: JsonNode): string {
  switch (node.kind) {
    case 'text':
      return JSON.stringify(node.value);
    case 'literal':
      return node.source;
    case 'array':
      return `[${node.items.map(jsonOf).join(',')}]`;
    case 'object':
      return `{${node.entries.map(([key, value]) => `${JSON.stringify(key)}:${jsonOf(value)}`).join(',')}}`;
  }
}
