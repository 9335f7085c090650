import { visible } from '../base/index.js';
import {
  type ComparisonReport,
  type Difference,
  type Estimate,
  type EvaluationReport,
  IGNORED_ROTATIONS,
  type Interval,
  isIgnored,
  largestFirst,
  modelsText,
  operatingPoint,
  percent,
  type Quality,
  range,
  resampledText,
  shortened,
  signed,
  targetText,
  tokensText,
  type WrongAnswer,
} from '../evaluation/index.js';
import { errorLines } from './eval-errors.js';
import { facts, table } from './text-table.js';

const HEAD = ['questions', 'n', 'accuracy', 'Brier', 'log loss', 'ECE', 'coverage at 5 % error'];
const NUMBERS = HEAD.slice(1, -1);
/** Groups that the terminal shows; the JSON report has more. */
const GROUPS_SHOWN = 10;
const QUESTIONS_SHOWN = 10;
const NAME_LENGTH = 30;
/** A target may send any number of types. */
const FAILURES_SHOWN = 20;

/** An evaluation as text for a terminal. */
export function reportText(report: EvaluationReport, wrong: readonly WrongAnswer[]): string {
  const { overall, by_type, by_option_count, by_group, by_split } = report;
  const rows = [['all', overall] as const, ...Object.entries(by_type)].map(([name, part]) =>
    row(name, part, true),
  );
  const parts = [
    ...rowsOf(by_option_count, (count) => `${count} options`),
    ...rowsOf(by_split, (split) => split.replace('_', '-')),
    ...report.by_question
      .slice(0, QUESTIONS_SHOWN)
      .map(({ question, quality }) => row(`question ${shortened(question, NAME_LENGTH)}`, quality, false)),
    ...largestFirst(by_group)
      .slice(0, GROUPS_SHOWN)
      .map(([group, part]) => row(`group ${group}`, part, false)),
  ];
  const more = report.groups - GROUPS_SHOWN;
  return [
    facts(factsOf(report)),
    '',
    table(HEAD, rows, NUMBERS),
    '',
    table(HEAD, parts, NUMBERS),
    ...(more > 0 ? [`and ${more} more groups`] : []),
    '',
    `Brackets hold 95 % intervals. ${resampledText(overall.resampled)}`,
    ...notesOf(report),
    ...biasesOf(report),
    ...averagingLines(report),
    ...errorLines(report, wrong),
    ...failuresOf(report),
  ].join('\n');
}

/** A comparison as text for a terminal. */
export function comparisonText(report: ComparisonReport): string {
  const head = ['questions', 'n', 'metric', 'A', 'B', 'B − A', '95 % interval'];
  const parts = [['all', report.overall] as const, ...Object.entries(report.by_type)];
  const rows = parts.flatMap(([name, part]) =>
    (['accuracy', 'brier', 'log_loss', 'ece'] as const).map((metric) => {
      const { a, b, difference, ci }: Difference = part[metric];
      // In every row, because a narrow terminal shows each by itself.
      return [
        name,
        String(part.n),
        metric,
        number(a),
        number(b),
        signed(difference),
        ci === null ? '' : range(ci, signed),
      ];
    }),
  );
  const { changed, mean, largest } = report.overall;
  return [
    facts({
      A: sideText(report.a),
      B: sideText(report.b),
      'other answers': percent(changed),
      '|Δp|': `mean ${mean.toPrecision(2)}, largest ${largest.toPrecision(2)}`,
    }),
    '',
    table(head, rows, head.slice(3)),
    '',
    `Intervals are those of paired answers. ${resampledText(report.overall.resampled)}`,
    ...(report.committed > 0
      ? [`${report.committed} noul questions are compared by their committed probability.`]
      : []),
  ].join('\n');
}

const sideText = ({ models, target, questions }: ComparisonReport['a']) =>
  visible(`${modelsText(models)} (${targetText(target)}), ${questions} questions answered`);

function factsOf({ cases, target, models, answered, tokens, cost, repeated }: EvaluationReport) {
  return {
    cases: `${cases.count} of ${cases.file}, ${answered} answered`,
    target: targetText(target),
    models: modelsText(models),
    tokens: `${tokens.input} input`,
    ...(cost === null ? {} : { cost: `${cost.amount} ${cost.currency}` }),
    ...(repeated === 0 ? {} : { repeated: `${repeated} requests after 429 or 503` }),
  };
}

const rowsOf = <Key extends string>(
  parts: Readonly<Partial<Record<Key, Quality>>>,
  name: (key: string) => string,
): string[][] =>
  Object.entries<Quality | undefined>(parts).flatMap(([key, part]) =>
    part ? [row(name(key), part, false)] : [],
  );

function row(name: string, quality: Quality, intervals: boolean): string[] {
  const { ci, at_5_percent_error: point } = quality;
  const metrics = (['accuracy', 'brier', 'log_loss', 'ece'] as const).map((metric) =>
    intervals ? withInterval(quality[metric], ci[metric]) : quality[metric].toFixed(3),
  );
  return [name, String(quality.n), ...metrics, point === null ? 'none' : operatingPoint(point)];
}

function notesOf({ committed, threshold }: EvaluationReport): string[] {
  const notes: string[] = [];
  if (committed > 0) {
    notes.push(
      `${committed} noul questions: the target sent only the committed probability (at most 0.20 or at least 0.80). Their accuracy is right; their other metrics are those of the committed probability.`,
    );
  }
  if (threshold !== null) {
    const { development, held_out: held } = threshold;
    notes.push(
      `The threshold for 5 % error on the development split, ${number(development.threshold)}, accepts ${percent(held.coverage)} of the held-out split with ${percent(held.error)} error.`,
    );
  }
  return notes;
}

function biasesOf({
  order_bias: order,
  format_bias: format,
  mode_difference: modes,
}: EvaluationReport): string[] {
  const lines: string[] = [];
  if (order !== null) {
    const positions =
      order.first && order.last ? `; first position ${shift(order.first)}, last ${shift(order.last)}` : '';
    lines.push(
      `order bias: ${share(order.changed)} of ${order.rotations} rotations change the answer; probabilities move by ${estimate(order.shift)}${positions}`,
    );
  }
  if (format !== null) {
    const forms = Object.entries(format.accuracy).map(([form, each]) => `${form} ${estimate(each)}`);
    lines.push(
      `format bias: ${share(format.changed)} of ${format.questions} questions change their answer with the form of the state; accuracy ${forms.join(', ')}`,
    );
  }
  if (modes !== null) {
    lines.push(
      `exact against normal mode: ${share(modes.changed)} of ${modes.questions} questions change their answer; |Δp| mean ${modes.mean.toPrecision(2)}, largest ${modes.largest.toPrecision(2)}`,
    );
  }
  return lines;
}

const AVERAGING_HEAD = [
  'orders',
  'n',
  'accuracy',
  'Δ accuracy',
  'log loss',
  'Δ log loss',
  'ECE',
  'Δ ECE',
  'other answers',
  'input tokens',
];

/** What averaging choices over orders of their options changes, for each number of orders. */
function averagingLines({ option_averaging: found }: EvaluationReport): string[] {
  if (found === null) return [];
  const rows = found.map(({ rotations, comparison: { n, accuracy, log_loss, ece, changed }, tokens }) => [
    String(rotations),
    String(n),
    ...[accuracy, log_loss, ece].flatMap(({ b, difference, ci }) => [
      number(b),
      ci === null ? signed(difference) : shift({ value: difference, ci }),
    ]),
    percent(changed),
    tokensText(tokens),
  ]);
  return [
    '',
    'Choice questions averaged over orders of their options, compared with the order sent:',
    table(AVERAGING_HEAD, rows, AVERAGING_HEAD),
    ...(found.some(isIgnored) ? [IGNORED_ROTATIONS] : []),
  ];
}

const failuresOf = ({ failures, bias_failures }: EvaluationReport) => [
  ...failureLines(failures, 'cases'),
  ...failureLines(bias_failures, 'further requests for biases'),
];

const failureLines = (failures: EvaluationReport['failures'], what: string) => [
  ...failures
    .slice(0, FAILURES_SHOWN)
    .map(({ type, cases, example }) => visible(`${cases} ${what} failed: ${type}: ${example}`)),
  ...(failures.length > FAILURES_SHOWN ? [`and ${failures.length - FAILURES_SHOWN} more types`] : []),
];

const number = (value: number) => value.toFixed(4);
const withInterval = (value: number, [low, high]: Interval) =>
  `${value.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
const estimate = ({ value, ci }: Estimate) => withInterval(value, ci);
const share = ({ value, ci: [low, high] }: Estimate) =>
  `${percent(value)} [${percent(low)}, ${percent(high)}]`;
const shift = ({ value, ci: [low, high] }: Estimate) => `${signed(value)} [${signed(low)}, ${signed(high)}]`;
