import { type Confusion, type EvaluationReport, shortened, type WrongAnswer } from '../evaluation/index.js';
import { table } from './text-table.js';

/** What the terminal shows; the files have more. */
const MATRICES_SHOWN = 5;
const WRONG_SHOWN = 10;
const LABEL_LENGTH = 20;
const NAME_LENGTH = 24;

/** The matrices of the questions, and the wrong answers, for a terminal. */
export function errorLines(
  { by_question: questions, overall, wrong: count }: EvaluationReport,
  wrong: readonly WrongAnswer[],
): string[] {
  const asked = questions.flatMap(({ question, confusion }) =>
    confusion === null ? [] : [{ question, confusion }],
  );
  const more = asked.length - MATRICES_SHOWN;
  return [
    ...asked
      .slice(0, MATRICES_SHOWN)
      .flatMap(({ question, confusion }) => ['', ...matrixLines(question, confusion)]),
    ...(more > 0 ? [`and ${more} more questions: see --html or --json`] : []),
    '',
    `${count} of ${overall.n} answers are wrong${count === 0 ? '.' : ', the most confident first:'}`,
    ...(count === 0 ? [] : [wrongTable(wrong.slice(0, WRONG_SHOWN))]),
    ...(count > WRONG_SHOWN ? [`and ${count - WRONG_SHOWN} more: --errors FILE writes all`] : []),
  ];
}

function matrixLines(question: string, { options, others, counts }: Confusion): string[] {
  const names = [
    ...options.map((option) => shortened(option, LABEL_LENGTH)),
    ...(others === 0 ? [] : [`${others} other options`]),
  ];
  const numbers = names.map((_, place) => String(place + 1));
  const rows = counts.map((row, place) => [
    `${numbers[place]} ${names[place]}`,
    ...row.map((count) => (count === 0 ? '·' : String(count))),
  ]);
  return [
    `Answers to ${shortened(question, LABEL_LENGTH * 2)}: a row per correct option, a column per answer`,
    table(['correct', ...numbers], rows, numbers),
  ];
}

function wrongTable(wrong: readonly WrongAnswer[]): string {
  const rows = wrong.map(({ case: id, question, expected, answer, confidence }) => [
    confidence.toFixed(4),
    shortened(id, NAME_LENGTH),
    shortened(question, NAME_LENGTH),
    shortened(String(expected), LABEL_LENGTH),
    shortened(String(answer), LABEL_LENGTH),
  ]);
  return table(['confidence', 'case', 'question', 'correct', 'answer'], rows, ['confidence']);
}
