import { test } from 'tap';
import { jsonFault, nearestName, placeInJson, repeatedName } from '../../src/base/index.js';
import { random, seedFromEnvironment } from '../support/random.js';

test('the fault of a text that is not JSON: its line, its column and one character at most', async (t) => {
  for (const [text, line, column, reason] of [
    ['', 1, 1, 'Expected a value, found the end of the file'],
    ['{\n  "a": 1,\n}', 2, 9, 'Expected no comma before }'],
    ['[1,\n2,]', 2, 2, 'Expected no comma before ]'],
    ['{"a": 1 "b": 2}', 1, 9, 'Expected a comma or }, found "\\""'],
    ["{'a': 1}", 1, 2, 'Expected a name in double quotes, found "\'"'],
    ['{"a" 1}', 1, 6, 'Expected a colon, found "1"'],
    ['{\n// port\n"a": 1}', 2, 1, 'Expected a name in double quotes, found "/". JSON has no comments'],
    ['{"a": True}', 1, 7, 'Expected a value, found "T"'],
    ['{"a": "x\ny"}', 1, 7, 'Unterminated string: it does not end on its line'],
    ['{"a": "\\x"}', 1, 8, 'Bad escape in a string'],
    ['{"é😀": ?}', 1, 8, 'Expected a value, found "?"'],
    ['{} {}', 1, 4, 'Expected the end of the file, found "{"'],
    [`${'['.repeat(600)}`, 1, 502, 'Values are nested more than 500 deep, found "["'],
  ] as const) {
    t.strictSame(jsonFault(text), { line, column, reason }, JSON.stringify(text.slice(0, 40)));
  }
});

test('a text has a fault exactly if the parser refuses it', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  const PIECES = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '1',
    '-',
    '0.5',
    'e9',
    'null',
    ' ',
    '\n',
    '\\',
    'u',
  ];
  let accepted = 0;
  for (let count = 0; count < 20_000; count += 1) {
    const length = 1 + source.integer(8);
    const text = Array.from({ length }, () => source.pick(PIECES)).join('');
    let isJson = true;
    try {
      JSON.parse(text);
    } catch {
      isJson = false;
    }
    if (isJson) accepted += 1;
    if ((jsonFault(text) === null) !== isJson) t.fail(JSON.stringify(text));
  }
  t.ok(accepted > 100);
});

test('the place of a name and of an element', async (t) => {
  const text = '{\n  "models": [\n    {"id": "a"},\n    {"id": "b", "x": [1, 2]}\n  ]\n}';
  t.strictSame(placeInJson(text, ['models', '1', 'x']), { line: 4, column: 17 });
  t.strictSame(placeInJson(text, ['models', '1']), { line: 4, column: 5 });
  t.strictSame(placeInJson(text, ['models', '1', 'x', '1']), { line: 4, column: 26 });
  t.equal(placeInJson(text, ['models', '2']), null);
  t.equal(placeInJson('{"a": 1', ['b']), null);
});

test('the name that was meant: a few typing errors, or the last part of one name', async (t) => {
  const names = ['port', 'host', 'engine.exact', 'engine.wave_tokens', 'operator.port', 'gateway.port'];
  for (const [unknown, meant] of [
    ['prot', 'port'],
    ['Port', 'port'],
    ['engine.wave-tokens', 'engine.wave_tokens'],
    ['engine.wavetokens', 'engine.wave_tokens'],
    ['wave_tokens', 'engine.wave_tokens'],
    ['x.port', 'port'],
    ['colour', null],
    ['po', null],
    ['a'.repeat(200), null],
  ] as const) {
    t.equal(nearestName(unknown, names), meant, unknown);
  }
});

test('a name that an object has twice is found wherever it is, and no other', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  const NAMES = ['a', 'b', 'c', '0', '1', '__proto__', 'é'];
  let repeated: string | null = null;
  /** A value, and in `repeated` the first name that one of its objects repeats, in the order of the text. */
  const value = (depth: number): string => {
    const kind = depth === 0 ? 0 : source.integer(3);
    const length = source.integer(4);
    if (kind === 1) return `[${Array.from({ length }, () => value(depth - 1)).join(', ')}]`;
    if (kind === 2)
      return object(
        Array.from({ length }, () => source.pick(NAMES)),
        depth,
      );
    return source.pick(['1', '"a"', 'null']);
  };
  const object = (names: readonly string[], depth: number): string => {
    const members = names.map((name, index) => {
      if (names.indexOf(name) < index) repeated ??= name;
      // The same name in another form.
      const written = source.integer(2) === 0 ? JSON.stringify(name) : escaped(name);
      return `${written}: ${value(depth - 1)}`;
    });
    return `{${members.join(', ')}}`;
  };
  let found = 0;
  for (let count = 0; count < 5_000; count += 1) {
    repeated = null;
    const text = value(4);
    const name = repeatedName(text)?.name ?? null;
    if (name !== repeated) t.fail(text);
    if (repeated !== null) found += 1;
  }
  t.ok(found > 100, `${found} texts with one`);
  const place = { name: 'b', line: 2, column: 8 };
  t.strictSame(repeatedName('{"a": {"b": 1,\n       "b": 2}, "a": 3}'), place);
  t.equal(repeatedName('[{"a": 1}, {"a": 1}, {"b": {"a": 1}}]'), null);
});

const escaped = (name: string): string =>
  `"${[...name].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;
