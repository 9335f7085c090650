import { type Cell, type Html, html, type Section, table } from '../../report/index.js';
import type {
  Difference,
  Estimate,
  EvaluationReport,
  FormatBias,
  ModeDifference,
  OptionAveraging,
  OrderBias,
} from '../report.js';
import { IGNORED_ROTATIONS, isIgnored, percent, range, signed, tokensText } from '../show-evaluation.js';

/** Order bias, averages, format bias and the difference between the modes: what was asked for. */
export function biases(report: EvaluationReport): Section[] {
  const {
    order_bias: order,
    format_bias: format,
    mode_difference: modes,
    option_averaging: averaging,
  } = report;
  return [
    ...(order === null ? [] : [{ title: 'Order of the options', content: orderBias(order) }]),
    ...(averaging === null
      ? []
      : [{ title: 'Averages over orders of the options', content: averages(averaging) }]),
    ...(format === null ? [] : [{ title: 'Form of the state', content: formatBias(format) }]),
    ...(modes === null ? [] : [{ title: 'Exact and normal mode', content: modeDifference(modes) }]),
  ];
}

function orderBias({ questions, rotations, changed, shift, first, last }: OrderBias): Html[] {
  return [
    html`<p>${questions} choice questions were also asked with their options rotated, ${rotations} times in all.</p>`,
    estimates('Order bias', [
      ['Rotations that change the answer', share(changed)],
      ['Mean shift of the probabilities (total variation)', decimal(shift)],
      ...(first === null ? [] : [['First position, probability above 1/n', difference(first)] as const]),
      ...(last === null ? [] : [['Last position, probability above 1/n', difference(last)] as const]),
    ]),
  ];
}

function averages(found: readonly OptionAveraging[]): Html[] {
  return [
    html`<p>Choice questions were also asked in several orders of their options, and their probabilities averaged.</p>`,
    table(
      'Averages compared with the order sent',
      [
        'Orders',
        'Questions',
        'Accuracy',
        'Change',
        'Log loss',
        'Change',
        'ECE',
        'Change',
        'Other answers',
        'Input tokens',
      ].map((title) => ({ title, kind: 'number' })),
      found.map(({ rotations, comparison: { n, accuracy, log_loss, ece, changed }, tokens }) => [
        String(rotations),
        String(n),
        percent(accuracy.b),
        change(accuracy),
        log_loss.b.toFixed(4),
        change(log_loss),
        ece.b.toFixed(4),
        change(ece),
        percent(changed),
        tokensText(tokens),
      ]),
    ),
    ...(found.some(isIgnored) ? [html`<p>${IGNORED_ROTATIONS}</p>`] : []),
  ];
}

const change = ({ difference: value, ci }: Difference): Cell =>
  ci === null ? signed(value) : difference({ value, ci });

function formatBias({ questions, accuracy, log_loss, changed, shift }: FormatBias): Html[] {
  const forms = { text: 'Text', flat: 'Flat JSON', nested: 'Nested JSON' };
  return [
    html`<p>${questions} questions were asked with the same state in three forms.</p>`,
    table(
      'Quality by form of the state',
      [
        { title: 'Form', kind: 'text' },
        { title: 'Accuracy', kind: 'number' },
        { title: 'Log loss', kind: 'number' },
      ],
      (['text', 'flat', 'nested'] as const).map((form) => [
        forms[form],
        share(accuracy[form]),
        decimal(log_loss[form]),
      ]),
    ),
    estimates('Format bias', [
      ['Questions whose answer depends on the form', share(changed)],
      ['Mean shift of the probabilities (total variation)', decimal(shift)],
    ]),
  ];
}

function modeDifference({ questions, changed, mean, largest }: ModeDifference): Html[] {
  return [
    html`<p>${questions} questions were asked in exact mode and in normal mode.</p>`,
    estimates('Difference between the modes', [
      ['Questions whose answer differs', share(changed)],
      ['Mean difference of a probability', mean.toPrecision(2)],
      ['Largest difference of a probability', largest.toPrecision(2)],
    ]),
  ];
}

function estimates(caption: string, rows: readonly (readonly [string, Cell])[]): Html {
  return table(
    caption,
    [
      { title: 'Measure', kind: 'text' },
      { title: 'Value', kind: 'number' },
    ],
    rows,
  );
}

const shown =
  (show: (value: number) => string) =>
  ({ value, ci }: Estimate): Cell => [show(value), range(ci, show)];
const share = shown(percent);
const decimal = shown((value) => value.toFixed(4));
const difference = shown(signed);
