import { VERSION } from '../base/index.js';
import { facts, figures, type Html, html, lineChart, page, type Section, table } from '../report/index.js';
import type { LoadPoint } from './choice/load-curve.js';
import type { NumericsReport } from './numerics/judge-answers.js';
import { predictionError, scoreOfVerified } from './recommend.js';
import type { MeasuredSpeed, TuneReport } from './tune.js';

const number = (title: string) => ({ title, kind: 'number' }) as const;
const text = (title: string) => ({ title, kind: 'text' }) as const;

/** A tuning as one HTML page. */
export async function tunePage(report: TuneReport): Promise<string> {
  const { build, device, date, goal, numerics, speed, curves } = report;
  const sections: Section[] = [
    { title: 'Recommendation', content: recommendation(report) },
    ...(curves === null ? [] : [{ title: 'Latency by load', content: [await curveChart(report)] }]),
    ...(numerics === null ? [] : [{ title: 'Answers', content: [numericsTable(numerics)] }]),
    ...(speed.length === 0 ? [] : [{ title: 'Constants', content: speed.map(constants) }]),
    ...(report.verified.length === 0
      ? []
      : [{ title: 'Predicted and measured', content: [candidatesTable(report), shapesTable(report)] }]),
  ];
  return page(`Tuning of ${build}`, `${device}, for ${goal}, ${date}`, sections, `decider ${VERSION}`);
}

function recommendation({ recommended, refusals, notes }: TuneReport): Html[] {
  const said = [...refusals, ...notes].map((each) => html`<p>${each}</p>`);
  if (recommended === null) return [html`<p>Nothing is recommended.</p>`, ...said];
  return [facts(Object.entries(recommended).map(([name, value]) => [name, String(value)] as const)), ...said];
}

async function curveChart({ curves, verified, workload, goal }: TuneReport): Promise<Html> {
  const { current = [], recommended = [] } = curves ?? {};
  const points = (curve: readonly LoadPoint[], of: 'p50' | 'p95') =>
    curve.map((point) => ({ x: point.rate, y: point[of] }));
  const measured =
    goal === 'latency' && workload !== null && verified[0]?.failure === null
      ? [
          {
            name: 'current p95, measured',
            points: [{ x: 1_000 / workload.gapMs, y: scoreOfVerified(verified[0]) }],
          },
        ]
      : [];
  const chart = await lineChart({
    title: 'Latency by load',
    description: 'Simulated latencies in milliseconds by requests per second.',
    note: 'Simulated from the constants of this device; random arrivals.',
    x: { title: 'requests per second', format: 'number' },
    y: { title: 'milliseconds', format: 'number', log: true },
    series: [
      { name: 'current p50', points: points(current, 'p50') },
      { name: 'current p95', points: points(current, 'p95') },
      ...(recommended.length === 0
        ? []
        : [
            { name: 'recommended p50', points: points(recommended, 'p50') },
            { name: 'recommended p95', points: points(recommended, 'p95') },
          ]),
      ...measured,
    ],
  });
  return figures([chart]);
}

function numericsTable({ prompts, alone, together, repeated }: NumericsReport): Html {
  const compared = {
    'device and CPU, alone': alone,
    'device and CPU, eight together': together,
    [`device, ${repeated.times} times alone`]: repeated.alone,
    'device, in changing company': repeated.together,
  };
  return table(
    `Differences between the probabilities, ${prompts} prompts`,
    [text('compared'), number('questions'), number('largest'), number('mean'), number('changed answers')],
    Object.entries(compared).map(([name, { questions, largest, mean, changed }]) => [
      name,
      String(questions),
      largest.toExponential(1),
      mean.toExponential(1),
      String(changed),
    ]),
  );
}

function constants({ threads, costs, decodes, error }: MeasuredSpeed): Html {
  const { decodeMs, ranges, tokenCellMs, visibleMs, rowMs, hostDecodeMs, hostTokenMs } = costs;
  const rows = [
    ['a decode', decodeMs],
    ...ranges.map(({ upTo, tokenMs }) => [`a token, up to ${upTo} of a decode`, tokenMs] as const),
    ['a token and 1,000 cells in use', tokenCellMs * 1_000],
    ['a token and 1,000 cells of its prompt', visibleMs * 1_000],
    ['a row of logits', rowMs],
    ['a decode, on the host', hostDecodeMs],
    ['a token, on the host', hostTokenMs],
  ] as const;
  return table(
    `Milliseconds with ${threads} threads, fitted to ${decodes.length} decodes, which are ${Math.round(error.median * 100)} % apart in the median`,
    [text('of'), number('ms')],
    rows.map(([name, ms]) => [name, ms.toPrecision(3)]),
  );
}

function candidatesTable({ verified, goal }: TuneReport): Html {
  return table(
    goal === 'latency' ? '95th percentile of latencies, ms' : 'Time of all requests, ms',
    ['wave tokens', 'contexts', 'sequences', 'threads', 'predicted', 'measured', 'rounds'].map(number),
    verified.map(({ choice, predicted, measured, failure }) => [
      ...[choice.wave_tokens, choice.contexts, choice.sequences, choice.threads].map(String),
      predicted.toFixed(1),
      failure === null ? scoreOfVerified({ measured }).toFixed(1) : 'failed',
      String(measured.length),
    ]),
  );
}

function shapesTable({ verified: [current], roofline }: TuneReport): Html {
  return table(
    'Requests with the current settings, ms',
    [text('requests'), ...['predicted', 'measured', 'difference', 'share of the roofline'].map(number)],
    (current?.shapes ?? []).map((shape, index) => [
      shape.title,
      shape.predicted.toFixed(1),
      scoreOfVerified(shape).toFixed(1),
      `${Math.round(predictionError(shape) * 100)} %`,
      `${Math.round((roofline[index] ?? Number.NaN) * 100)} %`,
    ]),
  );
}
