import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import type { BenchmarkName } from '../../src/evaluation/cases/benchmarks.js';
import { NAME_CHARACTERS_MAX } from '../../src/evaluation/cases/case.js';
import { CASES_BYTES_MAX, CASES_MAX, readCases } from '../../src/evaluation/cases/read-cases.js';
import { blocks } from '../support/pages.js';

const QUESTIONS = {
  angry: { type: 'noul' },
  team: { type: 'choice', criteria: ['billing', '10', '2'] },
  urgent: { type: 'score', criteria: ['later', 'now'] },
};
const REQUEST = { state: 'x', questions: QUESTIONS };
const EXPECTED = { angry: false, team: '10', urgent: 1 };
const CASE = { id: 'a', request: REQUEST, expected: EXPECTED };

function read(t: Test, lines: ReadonlyArray<object | string>, benchmark: BenchmarkName | null = null) {
  const file = join(t.testdir({}), 'cases.jsonl');
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  writeFileSync(file, texts.join('\n'));
  return readCases(file, benchmark);
}

test('a case keeps the text of its request, and the index of each correct option', async (t) => {
  const request = '{ "state": {"b":1.0,"10":12345678901234567890}, "questions":{"q":{"type":"noul"}} }';
  const [first, second] = read(t, [
    { ...CASE, group: 'g', split: 'held_out' },
    `{"id":"b","request":${request},"expected":{"q":true}}`,
  ]).cases;
  t.match(first, { line: 1, id: 'a', group: 'g', split: 'held_out', model: null });
  t.strictSame(
    first?.answers.map(({ type, options, expected }) => [type, options, expected]),
    [
      ['noul', ['true', 'false'], 1],
      ['choice', ['billing', '10', '2'], 1],
      ['score', ['0', '1'], 1],
    ],
  );
  t.match(second, { line: 2, group: null, split: null, request });
});

test('every invalid line is reported with file and line number', async (t) => {
  const wrong: ReadonlyArray<readonly [object | string, RegExp]> = [
    ['{', /invalid_json: The line is not valid JSON/],
    [{ ...CASE, id: '' }, /`id` must be a string/],
    [{ ...CASE, id: 'x'.repeat(NAME_CHARACTERS_MAX + 1) }, /1 to 256 characters/],
    [{ ...CASE, group: '😀'.repeat(NAME_CHARACTERS_MAX + 1) }, /1 to 256 characters/],
    [{ ...CASE, split: 'test' }, /`split` must be development or held_out/],
    [{ ...CASE, expect: {} }, /unknown field "expect"/],
    [{ id: 'a', expected: EXPECTED }, /`request` is missing/],
    [{ ...CASE, request: { questions: QUESTIONS } }, /missing: The request has no `state`/],
    [{ ...CASE, request: { state: 'x', questions: { a: { type: 'choice' } } } }, /invalid_question/],
    [{ ...CASE, expected: {} }, /names no question/],
    [{ ...CASE, expected: { other: true } }, /"other", which is not a question/],
    [{ ...CASE, expected: { angry: 'yes' } }, /"angry" must be true or false/],
    [{ ...CASE, expected: { team: 10 } }, /"team" must be one of the labels "billing", "10", "2"/],
    [{ ...CASE, expected: { urgent: 2 } }, /"urgent" must be a level from 0 to 1/],
  ];
  const lines = ['', ...wrong.map(([line]) => line)];
  t.throws(() => read(t, lines), {
    name: 'Error',
    message: new RegExp(
      wrong
        .map(([, reason], at) => `[^\\n]*cases.jsonl:${at + 2}: [^\\n]*${reason.source}[^\\n]*`)
        .join('\\n'),
    ),
  });
  for (const character of ['x', '😀']) {
    const longest = character.repeat(NAME_CHARACTERS_MAX);
    t.ok(read(t, [{ ...CASE, id: longest, group: longest }]));
  }
});

test('an id is used once, and a group belongs to one split', async (t) => {
  t.throws(() => read(t, [CASE, CASE]), /:2: `id` "a" was already used in line 1/);
  const inGroup = (id: string, split?: string) => ({ ...CASE, id, group: 'g', ...(split && { split }) });
  t.throws(
    () => read(t, [inGroup('a', 'development'), inGroup('b', 'held_out')]),
    /:2: the group "g" is in the split held_out here and in development in line 1/,
  );
  t.throws(() => read(t, [inGroup('a', 'development'), inGroup('b')]), /in the split none here/);
  t.equal(read(t, [inGroup('a', 'held_out'), inGroup('b', 'held_out')]).cases.length, 2);
});

test('docs/evaluation.md: the case is valid', async (t) => {
  const [line] = blocks('docs/evaluation.md', 'json') as [string];
  t.match(read(t, [line.trim()]).cases[0], { id: 'refund-1', answers: { length: 3 } });
});

test('a file has at least one case, and at most so many', async (t) => {
  t.throws(() => read(t, ['', ' ']), /has no cases/);
  t.throws(() => readCases(join(t.testdir({}), 'none.jsonl')), /cannot be read: ENOENT/);
  const lines = Array.from(
    { length: CASES_MAX + 1 },
    (_, at) => `{"id":"${at}","request":{"state":1,"questions":{"q":{"type":"noul"}}},"expected":{"q":true}}`,
  );
  t.throws(() => read(t, lines), /:100001: a file has at most 100000 cases/);
  t.equal(read(t, lines.slice(1)).cases.length, CASES_MAX);
  const large = join(t.testdir({ 'large.jsonl': '' }), 'large.jsonl');
  truncateSync(large, CASES_BYTES_MAX + 1);
  t.throws(() => readCases(large), /has 536870913 bytes; the limit is 536870912/);
});

test('rows of public benchmarks', async (t) => {
  const one = (benchmark: BenchmarkName, row: object) => {
    const [found] = read(t, [row], benchmark).cases;
    const { state, questions } = JSON.parse(found?.request as string);
    return { ...found, state, question: questions.answer, expected: found?.answers[0]?.expected };
  };
  t.match(one('boolq', { question: 'is it', passage: 'It is.', answer: false, title: 'It' }), {
    id: 'boolq-1',
    group: 'It',
    state: 'It is.',
    question: { type: 'noul', instructions: 'is it' },
    expected: 1,
  });
  const arc = { id: 'Mercury_1', answerKey: 'B' };
  const stem = 'Which?';
  const expected = {
    id: 'Mercury_1',
    state: stem,
    question: { type: 'choice', criteria: { A: 'one', B: 'two' } },
    expected: 1,
  };
  const listed = [
    { text: 'one', label: 'A' },
    { text: 'two', label: 'B' },
  ];
  t.match(one('arc', { ...arc, question: { stem, choices: listed } }), expected);
  t.match(
    one('arc', { ...arc, question: stem, choices: { text: ['one', 'two'], label: ['A', 'B'] } }),
    expected,
  );
  const mmlu = { question: '1 + 1?', choices: ['1', '2', '3', '4'], subject: 'arithmetic' };
  for (const answer of [1, 'B']) {
    t.match(one('mmlu', { ...mmlu, answer }), { id: 'mmlu-1', group: 'arithmetic', expected: 1 });
  }
  const swag = { ind: 24, ctx: 'He', endings: ['a', 'b', 'c', 'd'], source_id: 'video-1' };
  for (const label of [3, '3']) {
    t.match(one('hellaswag', { ...swag, label }), { id: 'hellaswag-24', group: 'video-1', expected: 3 });
  }
  for (const label of ['', ' ', null, undefined])
    t.throws(() => one('hellaswag', { ...swag, label }), /:1: `label` is empty/);
  for (const label of [4, '4', 1.5, -1, '0x1', [], false])
    t.throws(
      () => one('hellaswag', { ...swag, label }),
      /:1: `label` must be the number of one of the endings/,
    );
  t.throws(() => one('boolq', { question: 'x' }), /:1: `answer` must be true or false/);
  t.throws(() => one('mmlu', { ...mmlu, answer: 7 }), /must be one of the labels/);
  t.throws(() => read(t, ['no json'], 'arc'), /:1: not valid JSON/);
});
