import type { Random } from '../random.js';

/** A body that uses every field, as a value. */
export function fullBody(): Record<string, unknown> {
  return {
    model: 'known',
    state: { b: 1, 'a"\\': ['é😀', null, { c: 1.5 }] },
    questions: {
      n: { type: 'noul', instructions: 'Is it?', criteria: { true: 'it is', false: null } },
      y: { type: 'noul', criteria: { yes: null, no: 'not' } },
      c: { type: 'choice', instructions: null, criteria: { billing: 'money', technical: null } },
      l: { type: 'choice', criteria: ['a', 'b', 'c'] },
      s: { type: 'score', criteria: ['low', null, 'high'] },
    },
    image_budget: 140,
    assets: { ref: { format: 'png', data_base64: 'AAAA' } },
  };
}

const many = (count: number) => Array.from({ length: count }, (_, index) => `o${index}`);
const questions = (count: number) => Object.fromEntries(many(count).map((name) => [name, { type: 'noul' }]));

// biome-ignore format: one group of values a line
const VALUES: readonly unknown[] = [
  null, true, false, 0, 70, 280, 1.5, '', 'x', 'known', 'noul', 'choice', 'score',
  [], [''], ['a'], ['a', null], [null, null], [1, 2], many(26), many(27),
  {}, { a: null }, { '': null }, { a: 1 }, { a: ['x'] }, { no: {} }, { true: null, false: 'x' }, { true: null, no: null },
  { yes: '', no: null }, { type: 'noul' }, { type: 'score', criteria: many(2) }, questions(16), questions(17),
  Object.fromEntries(many(26).map((label) => [label, null])),
];

/** Replaces, removes or adds one value somewhere in an object or list. */
export function mutateValue(random: Random, root: Record<string, unknown>): void {
  let parent: Record<string, unknown> = root;
  for (;;) {
    const key = random.pick(Object.keys(parent));
    const child = parent[key];
    const inside = typeof child === 'object' && child !== null && Object.keys(child).length > 0;
    if (inside && random.integer(4) > 0) {
      parent = child as Record<string, unknown>;
      continue;
    }
    change(random, parent, key);
    return;
  }
}

function change(random: Random, parent: Record<string, unknown>, key: string): void {
  const value = structuredClone(random.pick(VALUES));
  const kind = random.integer(4);
  if (Array.isArray(parent)) {
    parent.splice(Number(key), kind === 0 ? 1 : 0, value);
  } else if (kind === 0) {
    delete parent[key];
  } else if (kind === 1) {
    parent[random.pick(['', 'a', 'true', 'no', 'type', 'criteria', 'a\nb'])] = value;
  } else {
    parent[key] = value;
  }
}

const CHUNKS = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  'null',
  '1',
  '"a"',
  '\\u',
  '\xff',
  '\0',
  '"state":',
  '{"a":1},',
];

/** Flips, cuts, repeats or inserts bytes at a random place. */
export function mutateBytes(random: Random, body: Buffer): Buffer {
  const at = random.integer(body.length);
  const end = Math.min(body.length, at + 1 + random.integer(20));
  const [before, part, after] = [body.subarray(0, at), body.subarray(at, end), body.subarray(end)];
  switch (random.integer(4)) {
    case 0: {
      const flipped = Buffer.from(body);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << random.integer(8));
      return flipped;
    }
    case 1:
      return random.integer(2) === 0 ? before : Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, part, part, after]);
    default:
      return Buffer.concat([before, Buffer.from(random.pick(CHUNKS), 'latin1'), part, after]);
  }
}
