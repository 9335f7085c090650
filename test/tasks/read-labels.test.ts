import { gzipSync } from 'node:zlib';
import { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { readLabels } from '../../src/tasks/index.js';

const QUESTIONS = JSON.stringify({
  angry: { type: 'noul' },
  team: { type: 'choice', criteria: ['billing', 'sales'] },
  urgent: { type: 'score', criteria: ['low', 'high'] },
});
const REQUEST = `req_${'a'.repeat(24)}`;
const BATCH = `batch_${'b'.repeat(24)}`;

const read = (text: string) =>
  readLabels({ body: Buffer.from(text), encoding: 'identity', questions: QUESTIONS });
const lines = (...values: readonly object[]) => values.map((value) => JSON.stringify(value)).join('\n');

test('labels name an answer, a line of a batch, or a state', async (t) => {
  const result = await read(
    `\n${lines(
      { request_id: REQUEST, expected: { angry: true, team: 'sales', urgent: 1 }, other: 1 },
      { batch_id: BATCH, custom_id: 'a:1', expected: { angry: false, team: null } },
      { state: { b: 1, a: 2 }, expected: { urgent: 0 } },
      { state: { b: 1, a: 2 }, expected: { urgent: 1 } },
      { state: { a: 2, b: 1 }, expected: { urgent: 0 } },
    )}\r\n`,
  );
  t.ok(result.ok);
  if (!result.ok) return;
  const { labels } = result;
  t.match(labels.slice(0, 2), [
    { line: 2, reference: REQUEST, expected: { angry: 0, team: 1, urgent: 1 }, body: null },
    { line: 3, reference: `${BATCH}/a:1`, expected: { angry: 1, team: null }, body: null },
  ]);
  const states = labels.slice(2);
  t.ok(states.every(({ reference }) => /^state\/[0-9a-f]{64}$/.test(reference)));
  t.equal(states[0]?.reference, states[1]?.reference, 'the same state is the same answer');
  t.not(states[0]?.reference, states[2]?.reference);
  t.match(JSON.parse(String(Buffer.from(states[0]?.body as Uint8Array))), { state: { b: 1, a: 2 } });
});

test('spaces and escapes of a state do not count', async (t) => {
  const references = async (...states: readonly string[]) => {
    const result = await read(
      states.map((state) => `{"state":${state},"expected":{"angry":true}}`).join('\n'),
    );
    t.ok(result.ok);
    return new Set(result.ok ? result.labels.map(({ reference }) => reference) : []).size;
  };
  t.equal(await references('"caf\u00e9 / tea"', '"caf\\u00e9 / tea"', '"caf\\u00E9 \\/ tea"'), 1);
  t.equal(await references('{"a":[1,"b"]}', ' { "a" : [ 1, "\\u0062" ] } '), 1);
  t.equal(await references('"1"', '1', '1.0', '[1]', '""', '" "'), 6);
});

test('the same images are the same answer, and fields that say the default do not count', async (t) => {
  const references = async (...bodies: readonly object[]) => {
    const result = await read(
      lines(...bodies.map((body) => ({ state: '[a] [b]', ...body, expected: { angry: true } }))),
    );
    t.ok(result.ok);
    return new Set(result.ok ? result.labels.map(({ reference }) => reference) : []).size;
  };
  const one = { type: 'image', format: 'jpeg', data_base64: 'AAAA' };
  const other = { type: 'image', format: 'png', data_base64: 'AQ==' };
  t.equal(await references({}, { assets: {} }, { image_budget: 280 }, { assets: {}, image_budget: 70 }), 1);
  t.equal(
    await references(
      { assets: { '[a]': one, '[b]': other } },
      { assets: { '[b]': other, '[a]': one }, image_budget: 280 },
      { assets: { '[a]': { ...one, format: 'jpg' }, '[b]': { ...other, part: null, more: 1 } } },
      { assets: { '[a]': one, '[b]': { ...other, type: undefined, data_base64: 'AR==' } } },
    ),
    1,
  );
  t.equal(
    await references(
      {},
      { assets: { '[a]': one } },
      { assets: { '[b]': one } },
      { assets: { '[a]': other } },
      { assets: { '[a]': { ...one, format: 'png' } } },
      { assets: { '[a]': one }, image_budget: 70 },
      { assets: { '[a]': one, '[b]': other } },
      { assets: { '[a]': other, '[b]': one } },
      { assets: null },
      { assets: {}, image_budget: 71 },
    ),
    10,
    'others, and what is refused when it is decided',
  );
});

test('every invalid line is listed, and its strings are not repeated', async (t) => {
  const secret = 'an-unmistakable-text';
  const label = { request_id: REQUEST, expected: { angry: true } };
  const invalid: readonly unknown[] = [
    { ...label, request_id: secret },
    { ...label, request_id: undefined },
    { ...label, state: secret },
    { batch_id: BATCH, expected: { angry: true } },
    { batch_id: BATCH, custom_id: `${secret} `, expected: { angry: true } },
    { ...label, expected: secret },
    { ...label, expected: [] },
    { ...label, expected: {} },
    { ...label, expected: { [secret]: true } },
    { ...label, expected: { __proto__x: true } },
    { ...label, expected: { angry: 1 } },
    { ...label, expected: { team: secret } },
    { ...label, expected: { urgent: 2 } },
    { ...label, expected: { urgent: -1 } },
    { ...label, expected: { urgent: 0.5 } },
    [],
    7,
  ];
  const text = [lines(label), ...invalid.map((value) => JSON.stringify(value)), '{', lines(label)].join('\n');
  const result = await read(text);
  t.notOk(result.ok);
  if (result.ok) return;
  const count = invalid.length + 1;
  t.match(result, { type: 'invalid_labels', details: { invalid_lines: count } });
  const errors = result.details.errors as { line: number; type: string }[];
  t.strictSame(
    errors.map(({ line }) => line),
    Array.from({ length: count }, (_, at) => at + 2),
  );
  t.equal(errors.at(-1)?.type, 'invalid_json');
  t.ok(errors.slice(0, -1).every(({ type }) => type === 'invalid_label'));
  t.notMatch(JSON.stringify(result), secret);
});

test('bodies are bounded', async (t) => {
  const label = JSON.stringify({ request_id: REQUEST, expected: { angry: true } });
  const many = (count: number, line = label) => `${line}\n`.repeat(count);
  const typeOf = async (text: string) => {
    const result = await read(text);
    return result.ok ? result.labels.length : result.type;
  };
  t.equal(await typeOf(many(LIMITS.labelLines)), LIMITS.labelLines);
  t.equal(await typeOf(many(LIMITS.labelLines + 1)), 'too_many_lines');
  const state = JSON.stringify({ state: 'x', expected: { angry: true } });
  t.equal(await typeOf(many(LIMITS.labelStates, state)), LIMITS.labelStates);
  t.equal(await typeOf(many(LIMITS.labelStates + 1, state)), 'too_many_lines');
  const limitOf = async (text: string) => {
    const result = await read(text);
    return result.ok ? null : result.details;
  };
  t.strictSame(await limitOf(many(LIMITS.labelLines + 1)), { max_lines: LIMITS.labelLines });
  t.strictSame(await limitOf(many(LIMITS.labelStates + 1, state)), { max_lines: LIMITS.labelStates });
  t.strictSame(await limitOf('\n'), {});
  t.match(await read('{'), { message: '1 line is invalid; no label of the call was stored.' });
  t.match(await read('{\n{'), { message: '2 lines are invalid; no label of the call was stored.' });
  t.equal(await typeOf(''), 'empty_batch');
  t.equal(await typeOf('\n \n'), 'empty_batch');
  const padded = (length: number) => label + ' '.repeat(length - label.length);
  t.equal(await typeOf(padded(LIMITS.labelBytes)), 1);
  const compressed = gzipSync(padded(LIMITS.labelBytes + 1));
  const result = await readLabels({ body: compressed, encoding: 'gzip', questions: QUESTIONS });
  t.match(result, { ok: false, type: 'body_too_large' });
  const damaged = await readLabels({ body: Buffer.from('x'), encoding: 'gzip', questions: QUESTIONS });
  t.match(damaged, { ok: false, type: 'bad_encoding' });
});
