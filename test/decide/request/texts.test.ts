import assert from 'node:assert/strict';
import { test } from 'tap';
import { LIMITS } from '../../../src/api/index.js';
import { readOrdered } from '../../../src/decide/request/ordered-json.js';
import { stateText } from '../../../src/decide/request/state-text.js';
import { quoteName, truncateCodePoints } from '../../../src/decide/request/strings.js';
import { read } from '../../support/decide/bodies.js';
import { parsedValue, randomJson } from '../../support/decide/json.js';
import { random, seedFromEnvironment } from '../../support/random.js';

const textOf = (source: string) => stateText(readOrdered(source));

test('state text: keys in the order sent, numbers as written, strings as JSON.stringify writes them', async (t) => {
  const state = '{"b":1,"10":2,"n":12345678901234567890,"x":1.0,"s":"é\\u0000"}';
  const request = read(`{"state":${state},"questions":{"q":{"type":"noul"}}}`);
  t.equal(
    stateText(request.state),
    '{\n  "b": 1,\n  "10": 2,\n  "n": 12345678901234567890,\n  "x": 1.0,\n  "s": "é\\u0000"\n}',
  );
});

test('state text: empty containers, nesting and repeated keys', async (t) => {
  t.equal(
    textOf('{"a":[],"b":{},"a":[1,[true,{"c":null}]]}'),
    '{\n  "a": [],\n  "b": {},\n  "a": [\n    1,\n    [\n      true,\n      {\n        "c": null\n      }\n    ]\n  ]\n}',
  );
  t.equal(textOf(' 1.50 '), '1.50');
  t.equal(textOf('{"\\"\\n":0}'), '{\n  "\\"\\n": 0\n}');
});

test('state text: a text is itself, lone surrogates as U+FFFD', async (t) => {
  t.equal(textOf('"a\\n\\"{é}\\u0000😀"'), 'a\n"{é}\u0000😀');
  t.equal(textOf('"a\\ud800b\\udfff"'), 'a\ufffdb\ufffd');
});

test('state text: lone surrogates of a JSON state stay escapes', async (t) => {
  t.equal(textOf('["\\ud800"]'), '[\n  "\\ud800"\n]');
});

test('state text: JSON that JSON.parse does not change reads as JSON.stringify writes it', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  for (let count = 0; count < 2_000; count += 1) {
    const plain = JSON.stringify(parsedValue(readOrdered(randomJson(source, 5))));
    const value = JSON.parse(plain) as unknown;
    if (typeof value !== 'string') assert.equal(textOf(plain), JSON.stringify(value, null, 2));
  }
  t.pass('2,000 texts');
});

test('state text: a limit gives the start of the whole text', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  for (let count = 0; count < 2_000; count += 1) {
    const node = readOrdered(randomJson(source, 4));
    const max = source.integer(60);
    assert.equal(stateText(node, max), truncateCodePoints(stateText(node), max));
  }
  t.pass('2,000 limits');
});

test('state text: with a limit, a text too long for any string is not an error', async (t) => {
  const node = readOrdered(`${'['.repeat(60)}${'1,'.repeat(5_000_000)}1${']'.repeat(60)}`);
  t.equal(stateText(node, LIMITS.stateCodePoints).length, LIMITS.stateCodePoints);
});

test('truncation counts code points and never splits a pair', async (t) => {
  t.equal(truncateCodePoints('a😀b', 0), '');
  t.equal(truncateCodePoints('a😀b', 1), 'a');
  t.equal(truncateCodePoints('a😀b', 2), 'a😀');
  t.equal(truncateCodePoints('a😀b', 3), 'a😀b');
  t.equal(truncateCodePoints('a😀b', 9), 'a😀b');
  t.equal(truncateCodePoints('\ud800😀\udc00x', 3), '\ud800😀\udc00');
  t.equal(truncateCodePoints('😀'.repeat(30_000), 20_000), '😀'.repeat(20_000));
});

test('a quoted name is cut to 64 code points', async (t) => {
  t.equal(quoteName('😀'.repeat(64)), `"${'😀'.repeat(64)}"`);
  t.equal(quoteName('😀'.repeat(65)), `"${'😀'.repeat(64)}…"`);
});

test('a quoted name holds no control character, invisible character or lone surrogate', async (t) => {
  t.equal(quoteName('a"\n\u0000'), '"a\\"\\n\\u0000"');
  t.equal(quoteName('\u007f\u0085\u2028\u202e\u{e0041}'), '"\\u007f\\u0085\\u2028\\u202e\\udb40\\udc41"');
  t.equal(quoteName('\ud800é'), '"\\ud800é"');
});
