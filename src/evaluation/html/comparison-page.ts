import {
  beside,
  type Cell,
  facts,
  figures,
  type Html,
  html,
  intervalChart,
  page,
  table,
} from '../../report/index.js';
import type { Comparison, ComparisonReport } from '../report.js';
import { modelsText, percent, range, signed, targetText } from '../show-evaluation.js';
import { foot } from './evaluation-page.js';

const METRICS = { accuracy: 'Accuracy', brier: 'Brier score', log_loss: 'Log loss', ece: 'ECE' } as const;
type Metric = keyof typeof METRICS;
/** Those whose differences have an interval. */
const DRAWN = ['accuracy', 'brier', 'log_loss'] as const;
type Part = readonly [name: string, comparison: Comparison];

/** A comparison of two runs as a self-contained HTML page. */
export async function comparisonPage(report: ComparisonReport): Promise<string> {
  const parts: Part[] = [['all', report.overall], ...Object.entries(report.by_type)];
  return page(
    `Comparison of ${modelsText(report.a.models)} and ${modelsText(report.b.models)}`,
    `${report.cases.file}: ${report.overall.n} questions answered by both`,
    [
      { title: 'Runs', content: runs(report) },
      {
        title: 'Differences',
        content: [
          html`<p>B − A over the same questions, with 95&nbsp;% intervals of paired answers. An interval that does not contain 0 is a difference that the sample shows. The difference of the ECE has no interval.</p>`,
          figures(await Promise.all(DRAWN.map((metric) => differences(metric, parts)))),
          beside(parts.map(metricTable)),
        ],
      },
      { title: 'Answers', content: [answers(parts)] },
    ],
    foot(report),
  );
}

function runs({ a, b, committed }: ComparisonReport): Html[] {
  const run = (side: ComparisonReport['a']) =>
    `${modelsText(side.models)}; ${targetText(side.target)}; ${side.questions} questions answered`;
  const note = html`<p>${committed} noul questions are compared by their committed probability, at most 0.20 or at least 0.80.</p>`;
  return [
    facts([
      ['A', run(a)],
      ['B', run(b)],
    ]),
    ...(committed > 0 ? [note] : []),
  ];
}

function differences(metric: Metric, parts: readonly Part[]): Promise<Html> {
  const rows = parts.flatMap(([label, comparison]) => {
    const { difference, ci } = comparison[metric];
    return ci === null ? [] : [{ label, value: difference, low: ci[0], high: ci[1] }];
  });
  const better = metric === 'accuracy' ? 'Right' : 'Left';
  return intervalChart({
    title: `${METRICS[metric]}, B − A`,
    description: `Difference with its 95 % interval: ${rows.map(({ label, value, low, high }) => `${label} ${signed(value)}, ${range([low, high], signed)}`).join('; ')}.`,
    note: `${better} of the dashed line: B is better`,
    x: { title: 'B − A', format: 'number' },
    rows,
    reference: 0,
  });
}

function metricTable([name, comparison]: Part): Html {
  return table(
    `${name === 'all' ? 'All questions' : name}, ${comparison.n} questions`,
    [
      { title: 'Metric', kind: 'text' },
      ...['A', 'B', 'B − A'].map((title) => ({ title, kind: 'number' as const })),
    ],
    (Object.keys(METRICS) as Metric[]).map((metric): Cell[] => {
      const { a, b, difference, ci } = comparison[metric];
      return [
        METRICS[metric],
        a.toFixed(4),
        b.toFixed(4),
        ci === null ? signed(difference) : [signed(difference), range(ci, signed)],
      ];
    }),
  );
}

function answers(parts: readonly Part[]): Html {
  return table(
    'How often and how far the answers differ',
    [
      { title: 'Questions', kind: 'text' },
      ...['Number', 'Other answer', 'Mean |Δp|', 'Largest |Δp|'].map((title) => ({
        title,
        kind: 'number' as const,
      })),
    ],
    parts.map(([name, { n, changed, mean, largest }]) => [
      name,
      String(n),
      percent(changed),
      mean.toPrecision(2),
      largest.toPrecision(2),
    ]),
  );
}
