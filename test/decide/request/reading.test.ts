import assert from 'node:assert/strict';
import { test } from 'tap';
import { ApiError, LIMITS } from '../../../src/api/index.js';
import { readOrdered } from '../../../src/decide/request/ordered-json.js';
import { scanBody } from '../../../src/decide/request/scan.js';
import { stateText } from '../../../src/decide/request/state-text.js';
import { read, refusal, refusedAs } from '../../support/decide/bodies.js';
import { parsedValue, randomJson, randomString } from '../../support/decide/json.js';
import { random, seedFromEnvironment } from '../../support/random.js';
import { scaled } from '../../support/scale.js';

const TEXTS = scaled({ short: 1_000, long: 5_000 });

const QUESTIONS = '"questions":{"q":{"type":"noul"}}';
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

/** The source text of a field, as the scan finds it. */
function rangeOf(source: string, name: string): string | undefined {
  const body = Buffer.from(source);
  const range = scanBody(body, [name]).get(name);
  return range && body.toString('utf8', range.start, range.end).trim();
}

test('depth: 64 levels are accepted, 65 refused', async (t) => {
  t.doesNotThrow(() => read(`{${QUESTIONS},"state":${nested(63)}}`));
  const error = refusal(`{${QUESTIONS},"state":${nested(64)}}`);
  t.equal(error.type, 'invalid_json');
  t.match(error.message, String(LIMITS.jsonDepth));
});

test('depth: objects count as arrays do', async (t) => {
  t.equal(refusedAs('{"a":'.repeat(65)), 'invalid_json');
  t.throws(() => scanBody(Buffer.from('{"a":'.repeat(65)), []), ApiError);
  t.doesNotThrow(() => scanBody(Buffer.from('{"a":'.repeat(64)), []));
});

test('containers: 200,000 are accepted, 200,001 refused', async (t) => {
  const withState = (inner: number) => `{${QUESTIONS},"state":[${Array(inner).fill('[]').join(',')}]}`;
  // The body, the questions, the question and the state are four of them.
  t.doesNotThrow(() => read(withState(LIMITS.jsonContainers - 4)));
  const error = refusal(withState(LIMITS.jsonContainers - 3));
  t.equal(error.type, 'invalid_json');
  t.match(error.message, String(LIMITS.jsonContainers));
});

test('values: 500,000 are accepted, one more refused', async (t) => {
  const withState = (inner: number) => `{${QUESTIONS},"state":[${Array(inner).fill('1').join(',')}]}`;
  // The body, the questions, the question and the state are containers; so many values stand behind a comma.
  const others = 4 + [...`{${QUESTIONS},"state":[]}`].filter((character) => character === ',').length - 1;
  t.doesNotThrow(() => read(withState(LIMITS.jsonValues - others)));
  const error = refusal(withState(LIMITS.jsonValues - others + 1));
  t.equal(error.type, 'invalid_json');
  t.match(error.message, String(LIMITS.jsonValues));
});

/** An object with so many different keys. */
const keysObject = (count: number) =>
  `{${Array.from({ length: count }, (_, at) => `"key ${at}":1`).join(',')}}`;
/** The keys `state`, `questions`, `q` and `type`. */
const OWN_KEYS = 4;

test('100,000 different object keys are accepted, one more refused', async (t) => {
  const withKeys = (count: number) => `{${QUESTIONS},"state":${keysObject(count)}}`;
  t.doesNotThrow(() => read(withKeys(LIMITS.jsonKeys - OWN_KEYS)));
  const error = refusal(withKeys(LIMITS.jsonKeys - OWN_KEYS + 1));
  t.equal(error.type, 'invalid_json');
  t.match(error.message, `${LIMITS.jsonKeys} different object keys`);
});

test('a key counts once after each sequence of keys, wherever it is', async (t) => {
  const half = LIMITS.jsonKeys / 2;
  const twoKeys = (first: (at: number) => string, second: (at: number) => string, count: number) =>
    `{${QUESTIONS},"state":[${Array.from({ length: count }, (_, at) => `{"${first(at)}":1,"${second(at)}":2}`)}]}`;
  const same = () => 'k';
  const own = (at: number) => `own ${at}`;
  const counts = (source: string) => {
    try {
      scanBody(Buffer.from(source), []);
      return false;
    } catch (error) {
      return (error as Error).message.includes('different object keys');
    }
  };
  t.notOk(counts(twoKeys(same, same, 160_000)), 'records of one shape');
  t.notOk(counts(twoKeys(same, own, LIMITS.jsonKeys - OWN_KEYS - 1)), 'the second key differs');
  t.ok(counts(twoKeys(same, own, LIMITS.jsonKeys)));
  t.notOk(counts(twoKeys(own, same, half - OWN_KEYS)), 'what follows a different key is different too');
  t.ok(counts(twoKeys(own, same, half)));
  const nest = (inner: string) => `${'{"a":'.repeat(59)}${inner}${'}'.repeat(59)}`;
  const nests = Array.from({ length: 1_000 }, (_, at) => nest(`{"n${at}":1}`));
  const nested = `{${QUESTIONS},"state":[${nests}]}`;
  t.notOk(counts(nested), 'objects in objects begin anew');
  const records = Array.from({ length: 20_000 }, (_, at) => ({
    id: at,
    name: `n${at}`,
    ...(at % 2 === 0 && { note: 'long '.repeat(200) }),
    seen: { by: 'x', at },
  }));
  t.doesNotThrow(
    () => read(JSON.stringify({ state: records, questions: { q: { type: 'noul' } } })),
    'a realistic body of 20 MB',
  );
});

test('a state too long to write out is cut, not refused', async (t) => {
  const state = `${'['.repeat(60)}${Array(450_000).fill('1').join(',')}${']'.repeat(60)}`;
  const request = read(`{${QUESTIONS},"state":${state}}`);
  t.equal(stateText(request.state, LIMITS.stateCodePoints).length, LIMITS.stateCodePoints);
});

test('a bomb of 32 MiB of opening brackets is refused by the scan', async (t) => {
  t.throws(() => scanBody(Buffer.alloc(32 * 1024 * 1024, '['), []), ApiError);
});

test('brackets inside strings are not containers', async (t) => {
  const text = JSON.stringify(`\\"${'[{'.repeat(100)}"\\`);
  t.doesNotThrow(() => read(`{${QUESTIONS},"state":${text}}`));
});

test('the ends of strings with escaped quotes and backslashes are found, at any length', async (t) => {
  for (const piece of ['\\"', '\\\\', '\\\\\\"', 'a\\"', 'a']) {
    for (let count = 0; count < 80; count += 1) {
      const text = `"${piece.repeat(count)}"`;
      t.equal(rangeOf(`{"a":${text},"state":1}`, 'state'), '1');
      t.equal(rangeOf(`{"state":${text},"b":[]}`, 'state'), text);
    }
  }
});

test('the range of a field: nested fields of its name are not it', async (t) => {
  t.equal(rangeOf('{"a":{"state":1},"b":["state",{"state":2}],"state":3}', 'state'), '3');
  t.equal(rangeOf('["state",{"state":2}]', 'state'), undefined);
  t.equal(rangeOf('{"a":"state"}', 'state'), undefined);
});

test('the range of a field: the last of two counts', async (t) => {
  t.equal(rangeOf('{"state":1,"state":[2,{"a":3}]}', 'state'), '[2,{"a":3}]');
});

test('the range of a field: its key may be escaped', async (t) => {
  t.equal(rangeOf('{"st\\u0061te":1}', 'state'), '1');
  t.equal(rangeOf('{"\\u0073\\u0074\\u0061\\u0074\\u0065":1}', 'state'), '1');
  t.equal(rangeOf('{"\\u004A":1}', 'J'), '1');
  for (const other of ['stat', 'states', 'st\\u0062te', 'st\\\\u0061te', 'stat\\u006', '\\nstate', 'State']) {
    t.equal(rangeOf(`{"${other}":1}`, 'state'), undefined, other);
  }
});

test('the range of a field: whitespace of every kind around it', async (t) => {
  t.equal(rangeOf(' \t{\r\n"state" \n:\t [1 , 2]\r\n, "a" : 1 }\n', 'state'), '[1 , 2]');
});

test('the scan ends on bytes that are not JSON', async (t) => {
  for (const source of [
    '',
    '"',
    '{"',
    '{"a',
    '{"\\',
    ']]]}',
    '{"state":',
    '{"state":"\\"',
    '{:,:,"state"}',
  ]) {
    t.doesNotThrow(() => scanBody(Buffer.from(source), ['state']), source);
  }
});

test('the ordered reader keeps order, repeats and source text', async (t) => {
  const source = ' {"b":1,"10":2,"2":1.0,"b":12345678901234567890,"__proto__":{"x":-0e5}} ';
  const literal = (text: string) => ({ kind: 'literal', source: text });
  t.strictSame(readOrdered(source), {
    kind: 'object',
    entries: [
      ['b', literal('1')],
      ['10', literal('2')],
      ['2', literal('1.0')],
      ['b', literal('12345678901234567890')],
      ['__proto__', { kind: 'object', entries: [['x', literal('-0e5')]] }],
    ],
  });
});

test('the ordered reader takes a string of many megabytes', async (t) => {
  const text = '\\"é\\\\'.repeat(1_000_000);
  t.strictSame(readOrdered(`"${text}"`), { kind: 'text', value: '"é\\'.repeat(1_000_000) });
});

test('the ordered reader agrees with JSON.parse on random JSON', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  for (let count = 0; count < TEXTS; count += 1) {
    const json = randomJson(source, source.integer(7));
    assert.deepEqual(parsedValue(readOrdered(json)), JSON.parse(json), json);
  }
  const deep = `${'[{"a":'.repeat(32)}1${'}]'.repeat(32)}`;
  assert.deepEqual(parsedValue(readOrdered(deep)), JSON.parse(deep));
  t.pass(`${TEXTS} texts and one of 64 levels`);
});

test('the scan’s ranges agree with JSON.parse on random bodies', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  const keys = ['"state"', '"st\\u0061te"', '"questions"', '"state "', '"\\"state"'];
  for (let count = 0; count < TEXTS; count += 1) {
    const entries = Array.from({ length: source.integer(6) }, () => {
      const key = source.integer(4) === 0 ? randomString(source) : source.pick(keys);
      return `${key}:${randomJson(source, 4)}`;
    });
    const body = Buffer.from(`{${entries.join(',')}}`);
    const expected = JSON.parse(body.toString()) as Record<string, unknown>;
    const ranges = scanBody(body, ['state', 'questions']);
    for (const name of ['state', 'questions']) {
      const range = ranges.get(name);
      const found = range && JSON.parse(body.toString('utf8', range.start, range.end));
      assert.deepEqual(found, expected[name], body.toString());
    }
  }
  t.pass(`${TEXTS} bodies`);
});
