import type { JsonNode } from '../json/json-node.js';

/** What the values of a language keep of JSON when they are written as JSON again. */
interface Keeping {
  /** Whether a number, `true`, `false` or `null` is written as it was. */
  literal(source: string): boolean;
  /** Whether an object has all of these keys, in this order. */
  keys(names: readonly string[]): boolean;
}

/** Numbers get another spelling or other digits, and keys that are array indexes move to the beginning. */
export const JAVASCRIPT_KEEPS: Keeping = {
  literal: (source) => JSON.stringify(JSON.parse(source)) === source,
  keys: (names) => {
    const kept = Object.keys(Object.fromEntries(names.map((name) => [name, null])));
    return kept.length === names.length && kept.every((name, at) => name === names[at]);
  },
};

/** Longer integers are not read (`sys.int_info.default_max_str_digits`). */
const PYTHON_DIGITS_MAX = 4_300;
/** Python writes an exponent from here on, and with two digits. */
const PYTHON_WRITES_OTHERWISE = /\de|^-?0\.0000/i;

/** Integers and the order of keys are kept; other numbers get the spelling of `repr`. */
export const PYTHON_KEEPS: Keeping = {
  literal(source) {
    if (/^-?\d+$/.test(source)) return source !== '-0' && source.length <= PYTHON_DIGITS_MAX;
    return JAVASCRIPT_KEEPS.literal(source) && !PYTHON_WRITES_OTHERWISE.test(source);
  },
  keys: (names) => new Set(names).size === names.length,
};

/** Whether a value, as a literal of a language, is sent as the same JSON. */
export function isKept(node: JsonNode, keeping: Keeping): boolean {
  if (node.kind === 'text') return true;
  if (node.kind === 'literal') return keeping.literal(node.source);
  if (node.kind === 'list') return node.items.every((item) => isKept(item, keeping));
  const keeps = ([, value]: readonly [string, JsonNode]) => isKept(value, keeping);
  return keeping.keys(node.entries.map(([name]) => name)) && node.entries.every(keeps);
}
