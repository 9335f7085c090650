import { createHash } from 'node:crypto';
import { test } from 'tap';
import { makeLines } from '../../src/console/batches/make-lines.js';
import { readRecords } from '../../src/console/batches/read-records.js';
import { readStates } from '../../src/console/batches/read-states.js';
import { digestOf, Sha256 } from '../../src/console/batches/sha256.js';
import { indented } from '../../src/console/json/json-node.js';
import { readJson } from '../../src/console/json/read-json.js';
import { csvOf } from '../../src/console/ui/csv.js';
import { exactMoney, money, percent } from '../../src/console/ui/format-values.js';
import { daysLeft } from '../../src/console/usage/days.js';

test('the digest of a file is its SHA-256, however it arrives', async (t) => {
  for (const length of [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 1_000, 100_000]) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 31) % 256);
    const expected = createHash('sha256').update(bytes).digest('hex');
    t.equal(await digestOf(new Blob([bytes])), expected, `${length} bytes`);
    const digest = new Sha256();
    for (let at = 0; at < length; at += 7) digest.add(bytes.subarray(at, at + 7));
    t.equal(digest.end(), expected, `${length} bytes in parts`);
  }
});

const read = (text: string) => readRecords(new Blob([text]), new AbortController().signal);

const texts = ({ columns, rows }: Awaited<ReturnType<typeof read>>) => ({
  columns,
  rows: rows.map((row) => row.map((value) => value && indented(value))),
});

test('a file that is not UTF-8 is refused in plain words', async (t) => {
  for (const bytes of [
    Buffer.from('id,na\u00efve\n1,x\n', 'latin1'),
    Buffer.from('\ufeffid,a\n1,x\n', 'utf16le'),
  ]) {
    const refused = { message: 'The file is not UTF-8 text: save it as UTF-8.' };
    await t.rejects(readRecords(new Blob([bytes]), new AbortController().signal), refused);
    await t.rejects(readStates(new Blob([bytes])), refused);
  }
});

test('records are read from CSV and JSON Lines', async (t) => {
  t.strictSame(texts(await read('\ufeffid,text\r\n1,"a, ""b""\nc"\r\n2,\r\n')), {
    columns: ['id', 'text'],
    rows: [
      ['"1"', '"a, \\"b\\"\\nc"'],
      ['"2"', '""'],
    ],
  });
  t.strictSame(texts(await read('a;b\n1,5;"x;y"')).rows, [['"1,5"', '"x;y"']]);
  t.strictSame(texts(await read('a\tb\n1\t2\n\n')).rows, [['"1"', '"2"']]);
  t.strictSame(texts(await read('a,b\n"",""""\nx,')).rows, [
    ['""', '"\\""'],
    ['"x"', '""'],
  ]);
  t.strictSame(texts(await read('{"a":1}\n\n{"b":[2],"a":null}\n')), {
    columns: ['a', 'b'],
    rows: [['1'], ['null', '[\n  2\n]']],
  });
  for (const [wrong, why] of [
    ['', /no records/],
    ['a,b\n', /no records/],
    ['a,b\n1\n', /Row 2 has 1 fields instead of 2/],
    ['a,b\n"1,2\n', /Row 2 is not valid CSV/],
    ['a,b\n"1"x,2\n', /Row 2 is not valid CSV/],
    ['a,b\n1"x,2', /Row 2 is not valid CSV/],
    ['a,b\r1,2', /Row 1 is not valid CSV/],
    ['name,name,x\n1,2,3', /two columns called "name"/],
    ['{"a":1}\n[]', /Line 2 is not a JSON object/],
    ['{"a":1}\n{', /Line 2 is not valid JSON/],
    ['{"a":1}\n{"a":1,"a":2}', /Line 2 has two values called "a"/],
  ] as const) {
    await t.rejects(read(wrong), { message: why }, wrong);
  }
});

test('a field of CSV may be long', async (t) => {
  const long = `${'"'.repeat(2)}x`.repeat(3_000_000);
  const { rows } = await read(`a,b\n"${long}",${'y'.repeat(9_000_000)}`);
  t.ok(rows[0]?.[0]?.kind === 'text' && rows[0][0].value === '"x'.repeat(3_000_000));
  t.ok(rows[0]?.[1]?.kind === 'text' && rows[0][1].value.length === 9_000_000);
});

test('lines of a batch are made from records', async (t) => {
  const questions = readJson('{"q":{"type":"noul"}}');
  const records = await read('{"id":"a b","text":"x\\ny","n":1.5}\n{"id":"","text":"z"}');
  const one = makeLines(records, { id: 'id', state: ['text'], model: 'm', questions });
  t.strictSame(
    one.map((line) => JSON.parse(line)),
    [
      { custom_id: 'a_b', state: 'x\ny', model: 'm', questions: { q: { type: 'noul' } } },
      { custom_id: 'line-2', state: 'z', model: 'm', questions: { q: { type: 'noul' } } },
    ],
  );
  t.ok(one.every((line) => !line.includes('\n')));
  const both = makeLines(records, { id: null, state: ['text', 'n'], model: 'm', questions });
  t.strictSame(
    both.map((line) => JSON.parse(line).state),
    [{ text: 'x\ny', n: 1.5 }, { text: 'z' }],
  );
  t.throws(() => makeLines(records, { id: 'no', state: ['text'], model: 'm', questions }), /no column "no"/);
  t.throws(() => makeLines(records, { id: null, state: [], model: 'm', questions }), /columns of the state/);
});

test('lines are numbered by the rows of the file, of which empty ones are left out', async (t) => {
  const mapping = { id: null, state: ['a'], model: 'm', questions: readJson('{}') };
  const idsOf = (records: Awaited<ReturnType<typeof read>>) =>
    makeLines(records, mapping).map((line) => JSON.parse(line).custom_id);
  for (const [file, empty, ids] of [
    ['a\n1\n2\n', 0, ['line-1', 'line-2']],
    ['a\r\ngreat\r\n\r\nbad\r\n""\r\nok\r\n', 2, ['line-1', 'line-3', 'line-5']],
    ['\n\na,b\n\n1,2\n,\n"",""\n3,\n', 3, ['line-2', 'line-5']],
    ['{"a":1}\n\n  \n{"a":2}\n', 2, ['line-1', 'line-4']],
  ] as const) {
    const records = await read(file);
    t.strictSame([records.empty, idsOf(records)], [empty, ids], JSON.stringify(file));
  }
  const named = makeLines(await read('id,a\nx,1\n\n,2\n'), { ...mapping, id: 'id' });
  t.strictSame(
    named.map((line) => JSON.parse(line).custom_id),
    ['x', 'line-3'],
  );
  await t.rejects(read('a,b\n\n1\n'), { message: /^Row 3 has 1 fields instead of 2/ }, 'as in the file');
});

test('lines of a batch have the values of the records as they are written', async (t) => {
  const fields =
    '"order": 12345678901234567890, "price": 1.0, "n": { "b": 1, "10": 2, "b": -0 }, "big": 1e400, "none": null';
  const records = await read(`{"id": 1.0, ${fields}}\n{"id": null, "n": null}`);
  const state = records.columns.filter((name) => name !== 'id');
  const mapping = { id: 'id', model: 'm', questions: readJson('{}') };
  const [first, second] = makeLines(records, { ...mapping, state });
  t.equal(first, `{ "custom_id": "1.0", "state": { ${fields} }, "model": "m", "questions": {} }`);
  t.equal(second, '{ "custom_id": "line-2", "state": { "n": null }, "model": "m", "questions": {} }');
  const [, alone = ''] = makeLines(records, { ...mapping, state: ['price'] });
  t.match(alone, '"state": null', 'the line is refused, not asked about an empty text');
});

test('states are shown as they are written, shortened', async (t) => {
  const lines = [
    '{"custom_id":"a","state":{"n":12345678901234567890,"10":1.0,"2":[]}}',
    `{"custom_id":"b","state":"${'x'.repeat(301)}"}`,
    '{"custom_id":"c"}',
    '{"custom_id":7,"state":"x"}',
    'no JSON',
  ];
  t.strictSame(
    [...(await readStates(new Blob([lines.join('\n')])))],
    [
      ['a', '{ "n": 12345678901234567890, "10": 1.0, "2": [] }'],
      ['b', `${'x'.repeat(300)}…`],
      ['c', 'null'],
    ],
  );
});

test('CSV is quoted, and runs no formulas', async (t) => {
  t.equal(csvOf([['a,b', 'say "x"', -1, '=1+1', 'x\ny']]), `"a,b","say ""x""",-1,'=1+1,"x\ny"\r\n`);
});

test('amounts, percentages and days', async (t) => {
  t.strictSame(
    [0, 24.75, 0.0015, 0.000_001, 0.000_000_9, -0.000_000_1, 1_234.5].map((each) => money(each, 'GBP')),
    ['£0.00', '£24.75', '£0.0015', '£0.000001', '< £0.000001', '< £0.000001', '£1,234.50'],
  );
  t.equal(exactMoney(0.000_000_087, 'GBP'), '£0.000000087');
  t.equal(exactMoney('123456789012345.000000000001', 'GBP'), '£123,456,789,012,345.000000000001');
  t.equal(exactMoney('-9007.199254740993', 'credits'), '-9007.199254740993 credits');
  t.equal(money(2, 'credits'), '2.00 credits');
  t.strictSame([0, 0.123_45, 1].map(percent), ['0.0 %', '12.3 %', '100.0 %']);
  const now = Date.parse('2026-11-28T13:00:00Z');
  t.strictSame(
    ['2026-12-28', '2026-11-28', '2026-11-27'].map((each) => daysLeft(each, now)),
    [30, 0, -1],
  );
});
