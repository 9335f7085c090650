import { test } from 'tap';
import { jsonFault, nearestName, placeInJson } from '../../src/base/index.js';
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
