import { type Claim, claimsOf, FAMILIES } from './claims.js';
import { type Figures, lowerEnd, SETS, type SetFigures, type SetName, type Share } from './figures.js';

const SET_NAMES: Readonly<Record<SetName, string>> = {
  held: 'held-out',
  handwritten: 'hand-written',
  scale: 'the scale of the README',
  near: 'near',
  outside: 'outside',
};

/** The heads of the tables, which stand in the card: the formatter makes columns as wide as their widest cell. */
const CLAIM_HEADS = [
  'question',
  'type',
  'held-out (lower end)',
  'guessing',
  'hand-written (lower end)',
  'guessing',
  'claimed',
];
const SET_HEADS = ['set', 'questions', 'right', 'guessing', 'confidence', 'sure and wrong', 'ECE'];
const NEAR_HEADS = ['asked', ...SET_HEADS.slice(1)];

/** Columns of the curve after the steps: all questions, then kinds of questions. `?` marks yes-or-no questions. */
const CURVE_COLUMNS = [
  'accuracy',
  'topic',
  'intent',
  'team',
  'refund?',
  'cancel?',
  'anger?',
  'urgency',
  'field_value',
  'lookup',
  'member?',
  'flag?',
  'equals?',
];
const CURVE_HEADS = ['step', 'all', ...CURVE_COLUMNS.slice(1)];
/** The first steps, in which most is learned. */
const CURVE_FIRST = [200, 400, 600, 800];
const CURVE_EVERY = 1_000;

/** The rows of the card's learning curve: of the tab-separated file that `train.py` writes, the first steps, every thousand and the last. */
export function curveRows(file: string): string[] {
  const [head = [], ...rows] = file
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  const shown = rows.filter((row, at) => {
    const step = Number(row[0]);
    return step % CURVE_EVERY === 0 || CURVE_FIRST.includes(step) || at === rows.length - 1;
  });
  return lines(
    CURVE_HEADS,
    shown.map((row) => [
      row[0] as string,
      ...CURVE_COLUMNS.map((name, at) => percent(Number(row[head.indexOf(name)]), at === 0 ? 1 : 0)),
    ]),
  );
}

/** The rows of the card's table of claims. */
export function claimRows(figures: Figures): string[] {
  let before = '';
  const rows = claimsOf(figures).map(({ family, type, held, handwritten, isClaimed }: Claim) => {
    const words = FAMILIES[family] as string;
    const name = family === before ? '' : words[0]?.toUpperCase() + words.slice(1);
    before = family;
    return [
      name,
      `\`${type}\``,
      shown(held),
      guessing(held),
      shown(handwritten),
      guessing(handwritten),
      isClaimed ? 'yes' : 'no',
    ];
  });
  return lines(CLAIM_HEADS, rows);
}

/** The rows of the card's table of evaluation sets. */
export const setRows = ({ sets }: Figures): string[] =>
  lines(
    SET_HEADS,
    SETS.map((name) => cellsOf(SET_NAMES[name], sets[name])),
  );

/** The rows of the card's table of the near set, by what is asked. */
export const nearRows = ({ near }: Figures): string[] =>
  lines(
    NEAR_HEADS,
    Object.entries(near).map(([group, figures]) => cellsOf(group, figures)),
  );

function cellsOf(name: string, figures: SetFigures): string[] {
  const { questions, right, guessing, confidence, sureAndWrong, ece } = figures;
  return [
    name,
    String(questions),
    percent(right / questions),
    percent(guessing),
    confidence.toFixed(2),
    percent(sureAndWrong),
    ece.toFixed(3),
  ];
}

/** The rows of a table with columns of even width. */
function lines(heads: readonly string[], rows: readonly string[][]): string[] {
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`);
}

const percent = (share: number, digits = 1) => `${(share * 100).toFixed(digits)} %`;
const shown = (share: Share | undefined) =>
  share
    ? `${percent(share.right / share.questions)} of ${share.questions} (${percent(lowerEnd(share))})`
    : '–';
const guessing = (share: Share | undefined) => (share ? percent(share.guessing) : '–');
