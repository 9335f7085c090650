import { test } from 'tap';
import {
  buildReport,
  type EvaluationReport,
  evaluationPage,
  readCases,
  readStored,
  type WrongAnswer,
  wrongAnswers,
} from '../../src/evaluation/index.js';
import { writeRun } from '../support/evaluation/run-files.js';

const BYTES_MAX = 2 * 1024 * 1024;
const LONG = 'x'.repeat(20_000);
const many = <T>(make: (index: number) => T) => Array.from({ length: 10_000 }, (_, index) => make(index));

test('a page stays small, whatever a target sends', async (t) => {
  const { cases: file, archive } = writeRun(t.testdir({}), { cases: 60, seed: 1, temperature: 1, groups: 5 });
  const cases = readCases(file, null);
  const { outcomes, target } = readStored(archive);
  const prices = { of: () => null, currency: 'GBP' };
  const { report, answered } = buildReport({ cases, outcomes, target, prices, seed: 1, resamples: 5 });
  const ofGroup = (n: number) => ({ ...(report as EvaluationReport).overall, n });
  const wrong = wrongAnswers(answered, cases.cases)[0] as WrongAnswer;
  const confusion = {
    options: Array(12).fill(LONG),
    others: 243,
    counts: Array(13).fill(Array(13).fill(12_345)),
  };
  const questionOf = (question: string) => ({
    question,
    type: 'choice' as const,
    quality: ofGroup(5),
    confusion,
  });
  const page = await evaluationPage(
    {
      ...(report as EvaluationReport),
      by_group: { 2: ofGroup(5), 10: ofGroup(20), b: ofGroup(30) },
      models: many((index) => `${index}${LONG}`),
      failures: many((index) => ({ type: `${index}${LONG}`, cases: 1, example: LONG })),
      by_question: many((index) => questionOf(`${index}${LONG}`)).slice(0, 50),
      questions: 10_000,
    },
    many((index) => ({ ...wrong, case: `${index}${LONG}`, question: LONG, answer: `${index}${LONG}` })),
  );
  t.ok(page.length < BYTES_MAX, `${page.length} bytes`);
  t.match(page, 'and 9995 more</h1>');
  const rows = page.slice(page.indexOf('Quality by group')).matchAll(/<th scope="row"[^>]*>(\w+)</g);
  t.strictSame(
    Array.from(rows, ([, name]) => name).slice(0, 3),
    ['b', '10', '2'],
    'the largest group first, although an object has integer keys first',
  );
  t.match(page, 'The 20 most frequent of 10000 types.');
  t.match(page, 'The 50 of 10000 questions that were asked most often.');
  t.match(page, 'The first 500 of 10000; decider eval --errors FILE writes all.');
  t.equal(page.match(/<caption>Answers to /g)?.length, 20, 'matrices');
});
