import {
  beside,
  details,
  figures,
  type Html,
  html,
  intervalChart,
  lineChart,
  type Section,
  table,
} from '../../report/index.js';
import { wilson } from '../../statistics/index.js';
import type { Quality } from '../report.js';
import { percent } from '../show-evaluation.js';
import type { Part } from './quality-table.js';

const SHARE = { format: 'percent', domain: [0, 1] } as const;
/** The error at which the threshold is chosen. */
const ERROR = 0.05;

/** Whether probabilities mean what they say: confidence against accuracy, per part. */
export async function reliability(parts: readonly Part[]): Promise<Section> {
  const charts = parts.map(({ name, quality }) =>
    lineChart({
      title: `Reliability, ${name}`,
      description: `Confidence and accuracy of ${name} in ${quality.reliability.length} bins of equal size: ${quality.reliability.map(({ confidence, accuracy }) => `${percent(confidence)} and ${percent(accuracy)}`).join('; ')}. Expected calibration error ${quality.ece.toFixed(3)}.`,
      note: `${quality.n} questions, ECE ${quality.ece.toFixed(3)}`,
      x: { ...SHARE, title: 'Confidence' },
      y: { ...SHARE, title: 'Accuracy' },
      series: [{ name, points: quality.reliability.map(binPoint) }],
      references: ['diagonal'],
    }),
  );
  return {
    title: 'Calibration',
    content: [
      html`<p>Each point is a bin of answers with similar confidence, the probability of the most probable option. On the dashed line, confidence equals accuracy; below it, the model is overconfident. Bars are 95&nbsp;% Wilson intervals of the accuracy.</p>`,
      figures(await Promise.all(charts)),
      details('Bins as tables', beside(parts.map(binTable))),
    ],
  };
}

function binPoint({ n, confidence, accuracy }: Quality['reliability'][number]) {
  const [low, high] = wilson(accuracy * n, n);
  return { x: confidence, y: accuracy, low, high };
}

function binTable({ name, quality }: Part): Html {
  const number = (title: string) => ({ title, kind: 'number' as const });
  return table(
    `Bins, ${name}`,
    [
      { title: 'Confidence', kind: 'text' },
      number('Questions'),
      number('Mean confidence'),
      number('Accuracy'),
    ],
    quality.reliability.map(({ from, to, n, confidence, accuracy }) => [
      `${percent(from)} to ${percent(to)}`,
      String(n),
      percent(confidence),
      percent(accuracy),
    ]),
  );
}

/** What accepting only confident answers gains: accuracy against the share accepted, per part. */
export async function coverage(parts: readonly Part[]): Promise<Section> {
  const charts = parts.map(({ name, quality: { coverage: points, at_5_percent_error: best } }) =>
    lineChart({
      title: `Accuracy and coverage, ${name}`,
      description: `Accuracy of ${name} if only the most confident answers are accepted. ${best === null ? 'No threshold has an error of at most 5 %.' : `At most 5 % error up to a coverage of ${percent(best.coverage)}, from a confidence of ${best.threshold.toFixed(4)}.`}`,
      note:
        best === null
          ? 'No threshold reaches 5 % error'
          : `5 % error: ${percent(best.coverage)} from p ≥ ${best.threshold.toFixed(4)}`,
      x: { ...SHARE, title: 'Coverage' },
      y: { format: 'percent', title: 'Accuracy', domain: [lowest(points), 1] },
      series: [{ name, points: points.map(({ coverage: x, error }) => ({ x, y: 1 - error })) }],
      references: [{ y: 1 - ERROR }, ...(best === null ? [] : [{ x: best.coverage }])],
    }),
  );
  return {
    title: 'Accuracy and coverage',
    content: [
      html`<p>If only answers with at least a certain confidence are accepted, fewer are answered and more of them are right. The dashed lines mark 5&nbsp;% error and the largest share that can be accepted with it.</p>`,
      figures(await Promise.all(charts)),
    ],
  };
}

/** A tenth at or below the lowest accuracy; at most 0.9, so that the line of 5 % error is visible. */
function lowest(points: Quality['coverage']): number {
  const least = Math.min(...points.map(({ error }) => 1 - error));
  return Math.min(0.9, Math.floor(least * 10) / 10);
}

/** The accuracies of parts below each other. */
export function accuracies(title: string, parts: readonly Part[], overall: number): Promise<Html> {
  return intervalChart({
    title,
    description: `Accuracy with its 95 % interval of ${parts.length} parts: ${parts.map(({ name, quality }) => `${name} ${percent(quality.accuracy)}`).join('; ')}.`,
    note: `Dashed: all questions, ${percent(overall)}`,
    x: { title: 'Accuracy', format: 'percent', domain: [0, 1] },
    rows: parts.map(({ name, quality: { accuracy, ci } }) => ({
      label: name,
      value: accuracy,
      low: ci.accuracy[0],
      high: ci.accuracy[1],
    })),
    reference: overall,
  });
}
