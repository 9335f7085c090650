import {
  beside,
  type Cell,
  type Column,
  FILTER_STYLE,
  FILTER_VALUES_MAX,
  type Filter,
  filteredTable,
  type Html,
  html,
  type Section,
  table,
} from '../../report/index.js';
import type { Confusion, EvaluationReport } from '../report.js';
import { shortened } from '../show-evaluation.js';
import type { WrongAnswer } from '../wrong-answers.js';
import { qualityTable } from './quality-table.js';

/** Wrong answers that a page lists, and the questions whose matrices it draws: a page stays small. */
const WRONG_SHOWN = 500;
const MATRICES_SHOWN = 20;
/** Names and labels may be of any length. */
const NAME_LENGTH = 80;
const CONFIDENCES = [0.9, 0.8, 0.7, 0.6, 0.5];

/** The quality of each question, and which options were answered for which. */
export function byQuestion({ by_question: all, questions }: EvaluationReport): Section[] {
  if (all.length < 2 && all.every(({ confusion }) => confusion === null)) return [];
  const parts = all.map(({ question, quality }) => ({ name: shortened(question, NAME_LENGTH), quality }));
  const matrices = all.flatMap(({ question, confusion }) =>
    confusion === null ? [] : [matrix(shortened(question, NAME_LENGTH), confusion)],
  );
  return [
    {
      title: 'Questions',
      content: [
        ...(questions > all.length
          ? [html`<p>The ${all.length} of ${questions} questions that were asked most often.</p>`]
          : []),
        qualityTable('Quality by question', 'Question', parts),
        ...(matrices.length === 0 ? [] : [MATRIX_TEXT, beside(matrices.slice(0, MATRICES_SHOWN))]),
      ],
    },
  ];
}

const MATRIX_TEXT = html`<p>Each row of a matrix is a correct option, and each column an answer, by the number of the option: right answers are on the diagonal.</p>`;

function matrix(question: string, { options, others, counts }: Confusion): Html {
  const names = [
    ...options.map((option) => shortened(option, NAME_LENGTH)),
    ...(others === 0 ? [] : [`${others} other options`]),
  ];
  const columns: Column[] = [
    { title: 'Correct', kind: 'text' },
    ...names.map((_, place) => ({ title: String(place + 1), kind: 'number' as const })),
  ];
  const rows = counts.map((row, place): Cell[] => [
    `${place + 1} ${names[place]}`,
    ...row.map((count) => (count === 0 ? '·' : String(count))),
  ]);
  return table(`Answers to ${question}`, columns, rows);
}

/** The wrong answers, the most confident first, with filters. */
export function errors(wrong: readonly WrongAnswer[]): Section[] {
  if (wrong.length === 0) return [];
  const shown = wrong.slice(0, WRONG_SHOWN);
  return [
    {
      title: 'Wrong answers',
      style: FILTER_STYLE,
      content: [
        html`<p>The most confident first.${wrong.length > shown.length ? ` The first ${shown.length} of ${wrong.length}; decider eval --errors FILE writes all.` : ''}</p>`,
        filteredTable(
          'Wrong answers',
          [
            { title: 'Case', kind: 'text' },
            { title: 'Question', kind: 'text' },
            { title: 'Correct', kind: 'text' },
            { title: 'Answer', kind: 'text' },
            { title: 'Confidence', kind: 'number' },
          ],
          shown.map(rowOf),
          filtersOf(shown),
        ),
      ],
    },
  ];
}

function rowOf({
  case: id,
  line,
  question,
  expected,
  answer,
  confidence,
  probabilities,
}: WrongAnswer): Cell[] {
  const ofCorrect = probabilities[String(expected)] ?? 0;
  return [
    [shortened(id, NAME_LENGTH), `line ${line}`],
    shortened(question, NAME_LENGTH),
    [shortened(String(expected), NAME_LENGTH), `p ${ofCorrect.toFixed(4)}`],
    shortened(String(answer), NAME_LENGTH),
    confidence.toFixed(4),
  ];
}

function filtersOf(shown: readonly WrongAnswer[]): Filter[] {
  return [
    byText('Question', shown, ({ question }) => question),
    byText('Correct and answer', shown, ({ expected, answer }) => `${expected} → ${answer}`),
    {
      title: 'Confidence',
      values: CONFIDENCES.map((least) => `at least ${least}`),
      rows: shown.map(({ confidence }) =>
        CONFIDENCES.flatMap((least, place) => (confidence >= least ? [place] : [])),
      ),
    },
  ];
}

/** The values that most rows have. */
function byText(
  title: string,
  shown: readonly WrongAnswer[],
  textOf: (wrong: WrongAnswer) => string,
): Filter {
  const counts = new Map<string, number>();
  for (const each of shown) counts.set(textOf(each), (counts.get(textOf(each)) ?? 0) + 1);
  const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, FILTER_VALUES_MAX);
  const places = new Map(most.map(([text], place) => [text, place]));
  return {
    title,
    values: most.map(([text, count]) => `${shortened(text, NAME_LENGTH)} (${count})`),
    rows: shown.map((each) => {
      const place = places.get(textOf(each));
      return place === undefined ? [] : [place];
    }),
  };
}
