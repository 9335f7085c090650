import type { JsonNode } from '../../../src/decide/decide-types.js';
import type { Random } from '../random.js';

const SPACES = ['', '', '', ' ', '\t', '\n', '\r', ' \r\n\t '];
const NUMBERS = ['0', '-0', '1.0', '12345678901234567890', '1e999', '-1.5E+3', '0.1e-7'];
// biome-ignore format: one group of pieces a line
const PIECES = [
  'a', 'é', '漢', '😀', '{', '}', '[', ']', ',', ':', ' ', '\u2028', '\ufeff', '\u007f',
  '\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t', '\\u0000', '\\u0041', '\\uD83D\\uDE00', '\\ud800', '\\uDFFF',
  'x'.repeat(40), '\\\\'.repeat(20), '\\"'.repeat(20),
];
const KEYS = ['"a"', '"b"', '"10"', '"2"', '"__proto__"', '"\\u0061"', '""', '"state"', '"constructor"'];

/** Random JSON text: any whitespace, escapes, repeated and integer-like keys, nested to `depth` levels. */
export function randomJson(random: Random, depth: number): string {
  const value = randomValue(random, depth);
  return random.pick(SPACES) + value + random.pick(SPACES);
}

function randomValue(random: Random, depth: number): string {
  switch (random.integer(depth > 0 ? 6 : 3)) {
    case 0:
      return random.pick(NUMBERS);
    case 1:
      return random.pick(['true', 'false', 'null']);
    case 2:
      return randomString(random);
    case 3:
      return `[${listOf(random, () => randomJson(random, depth - 1))}]`;
    default:
      return `{${listOf(random, () => randomEntry(random, depth))}}`;
  }
}

function randomEntry(random: Random, depth: number): string {
  const key = random.integer(3) === 0 ? randomString(random) : random.pick(KEYS);
  return `${random.pick(SPACES)}${key}${random.pick(SPACES)}:${randomJson(random, depth - 1)}`;
}

function listOf(random: Random, make: () => string): string {
  const length = random.integer(4);
  return length === 0 ? random.pick(SPACES) : Array.from({ length }, make).join(',');
}

/** A random JSON string, in its quotes. */
export function randomString(random: Random): string {
  return `"${Array.from({ length: random.integer(6) }, () => random.pick(PIECES)).join('')}"`;
}

/** What `JSON.parse` makes of the source a node was read from. */
export function parsedValue(node: JsonNode): unknown {
  switch (node.kind) {
    case 'text':
      return node.value;
    case 'literal':
      return JSON.parse(node.source);
    case 'array':
      return node.items.map(parsedValue);
    case 'object': {
      const object = {};
      for (const [key, value] of node.entries) {
        // Not an assignment, which would set the prototype for `__proto__`.
        Object.defineProperty(object, key, {
          value: parsedValue(value),
          writable: true,
          enumerable: true,
          configurable: true,
        });
      }
      return object;
    }
  }
}
