import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import type { AnsweredQuestion } from '../../src/evaluation/answered.js';
import type { Case } from '../../src/evaluation/cases/case.js';
import { type EvaluationReport, type WrongAnswer, wrongAnswers } from '../../src/evaluation/index.js';
import { CONFUSION_OPTIONS_MAX, confusionOf } from '../../src/evaluation/metrics/confusion.js';
import { run } from '../support/cli.js';
import { writeRun } from '../support/evaluation/run-files.js';
import { answeredQuestion } from '../support/evaluation/synthetic.js';

const question = (own: Partial<AnsweredQuestion>): AnsweredQuestion => ({
  ...answeredQuestion('a', [0.6, 0.4], 1),
  ...own,
});

test('wrong answers: the most confident first, in the form of a cases file', async (t) => {
  const answered = [
    question({ case: 'a', type: 'noul', options: ['true', 'false'], probabilities: [0.6, 0.4], expected: 1 }),
    question({
      case: 'b',
      type: 'choice',
      options: ['x', '__proto__'],
      probabilities: [0.9, 0.1],
      expected: 1,
    }),
    question({ case: 'c', type: 'choice', options: ['x', 'y'], probabilities: [0.9, 0.1], expected: 0 }),
    question({
      case: 'd',
      type: 'score',
      options: ['0', '1', '2'],
      probabilities: [0.1, 0.2, 0.7],
      expected: 0,
    }),
    question({ case: 'e', type: 'noul', options: ['true', 'false'], probabilities: [0.4, 0.6], expected: 0 }),
  ];
  const cases = answered.map(({ case: id }, at) => ({ id, line: at + 10 })) as Case[];
  const wrong = wrongAnswers(answered, cases);
  t.strictSame(
    wrong.map(({ case: id, line, expected, answer, confidence }) => [id, line, expected, answer, confidence]),
    [
      ['b', 11, '__proto__', 'x', 0.9],
      ['d', 13, 0, 2, 0.7],
      ['a', 10, false, true, 0.6],
      ['e', 14, true, false, 0.6],
    ],
  );
  t.strictSame(Object.entries(wrong[0]?.probabilities ?? {}), [
    ['x', 0.9],
    ['__proto__', 0.1],
  ]);
});

test('a confusion matrix: all options up to the limit, the rest together', async (t) => {
  const options = Array.from({ length: CONFUSION_OPTIONS_MAX + 1 }, (_, at) => `o${at}`);
  const answer = (expected: number, chosen: number, of = options) =>
    question({ options: of, expected, probabilities: of.map((_, at) => (at === chosen ? 1 : 0)) });
  const few = options.slice(0, CONFUSION_OPTIONS_MAX);
  const whole = confusionOf([answer(0, 1, few), answer(0, 1, few), answer(11, 11, few)]);
  t.strictSame([whole.options, whole.others, whole.counts.length], [few, 0, 12]);
  t.strictSame(
    [whole.counts[0]?.[1], whole.counts[11]?.[11], whole.counts.flat().reduce((a, b) => a + b)],
    [2, 1, 3],
  );
  // All but o5 are used twice.
  const used = options.map((_, at) => at).filter((at) => at !== 5);
  const cut = confusionOf([...used.map((at) => answer(at, at)), answer(5, 0)]);
  t.equal(cut.others, 1);
  t.notOk(cut.options.includes('o5'));
  t.equal(cut.counts.length, CONFUSION_OPTIONS_MAX + 1);
  t.equal(cut.counts.at(-1)?.[0], 1, 'correct: one of the others; answered: o0');
});

test('eval --errors writes every wrong answer, and the terminal shows the first', async (t) => {
  const folder = t.testdir({});
  const { cases, archive } = writeRun(folder, { cases: 90, seed: 1, temperature: 2, groups: 30 });
  const [errors, json] = [join(folder, 'errors.jsonl'), join(folder, 'report.json')];
  const files = ['--errors', errors, '--json', json];
  const { code, stdout, stderr } = await run(t, [
    'eval',
    cases,
    '--results',
    archive,
    '--resamples',
    '20',
    ...files,
  ]);
  t.strictSame([code, stderr], [0, '']);
  const report: EvaluationReport = JSON.parse(readFileSync(json, 'utf8'));
  const wrong = readFileSync(errors, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): WrongAnswer => JSON.parse(line));
  t.equal(wrong.length, report.wrong);
  t.equal(report.wrong, report.overall.n - Math.round(report.overall.accuracy * report.overall.n));
  const confidences = wrong.map(({ confidence }) => confidence);
  t.strictSame(
    confidences,
    confidences.toSorted((a, b) => b - a),
  );
  const lines = readFileSync(cases, 'utf8').split('\n');
  for (const { case: id, line, question: name, expected } of wrong)
    t.match(JSON.parse(lines[line - 1] as string), { id, expected: { [name]: expected } });
  t.match(stdout, `${report.wrong} of ${report.overall.n} answers are wrong, the most confident first:`);
  t.match(stdout, /^confidence +case +question +correct +answer$/m);
  t.match(
    stdout,
    /^Answers to urgency: a row per correct option, a column per answer\ncorrect +1 +2 +3\n1 0 /m,
  );
  t.match(stdout, /^question team +\d+ /m);
  t.strictSame(report.by_question.map(({ question: name, confusion }) => [name, confusion === null]).sort(), [
    ['refund plain', true],
    ['team', false],
    ['urgency', false],
  ]);
});

test('batches from-cases: every case as a line, checked as a batch is', async (t) => {
  const folder = t.testdir({});
  const cases = join(folder, 'cases.jsonl');
  const request = '{"questions":{"b":{"type":"noul"},"a":{"type":"noul"}},"state":{"z":1.50,"y":[1e2]}}';
  const own = (id: string, body = request) =>
    `{"id":${JSON.stringify(id)},"request":${body},"expected":{"a":true}}\n`;
  const both = `${own('one')}\n${own('two', `{"model":"m","raw_probabilities":false,${request.slice(1)}`)}`;
  writeFileSync(cases, both);
  const from = (...args: string[]) => run(t, ['batches', 'from-cases', cases, ...args]);
  const { code, stdout, stderr } = await from('--model', 'decider-g-12b');
  t.strictSame([code, stderr], [0, '']);
  const [one, two] = stdout.split('\n') as [string, string];
  t.match(one, '"state":{"z":1.50,"y":[1e2]}', 'numbers as they were written');
  t.match(one, '"questions":{"b":{"type":"noul"},"a":{"type":"noul"}}');
  t.match(JSON.parse(one), { custom_id: 'one', model: 'decider-g-12b', raw_probabilities: true });
  t.match(JSON.parse(two), { custom_id: 'two', model: 'decider-g-12b', raw_probabilities: false });
  const ofLine =
    '"custom_id":"other","task":"mail","raw_probabilities":null,"label_mass":true,"option_rotations":4';
  writeFileSync(cases, own('three', `{${ofLine},${request.slice(1)}`));
  const third = (await from('--model', 'm')).stdout;
  t.strictSame(JSON.parse(third), {
    custom_id: 'three',
    model: 'm',
    raw_probabilities: true,
    ...JSON.parse(request),
  });
  t.equal(third.match(/raw_probabilities/g)?.length, 1);
  writeFileSync(cases, both);
  const out = join(folder, 'batch.jsonl');
  t.equal((await from('--model', 'decider-g-12b', '--out', out)).stdout, '');
  t.equal(readFileSync(out, 'utf8').trimEnd(), stdout.trimEnd());

  const unnamed = await from();
  t.strictSame([unnamed.code, unnamed.stdout], [1, '']);
  t.match(unnamed.stderr, /^.*cases\.jsonl:1: model_required: .*\ninvalid_batch: .* Give --model\.\n$/);
  writeFileSync(cases, `${own('one')}\n${own('not an id')}`);
  t.match((await from('--model', 'm')).stderr, /^.*cases\.jsonl:3: invalid_custom_id: /);
  t.match((await from('--out', join(folder, 'x'), '--model', 'm')).stderr, /invalid_custom_id/);
  t.notOk(existsSync(join(folder, 'x')));
});
