import {
  beside,
  facts,
  figures,
  type Html,
  html,
  lineChart,
  page,
  type Section,
  table,
} from '../report/index.js';
import type { LatencySummary } from './latencies.js';
import type { LoadResult, StepResult } from './result.js';
import { SHAPES } from './shapes.js';
import { byRate, foundText, mainStep, notes, showMs, showRate } from './summary.js';

const PERCENTILES = [
  ['p50', 'p50'],
  ['p90', 'p90'],
  ['p95', 'p95'],
  ['p99', 'p99'],
  ['p99_9', 'p99.9'],
  ['max', 'max'],
] as const;
/** The percentiles of the chart: more lines would hide each other. */
const CHARTED = ['p50', 'p95', 'p99'] as const;
/** Rates that span more are shown on a logarithmic axis. */
const LINEAR_SPAN_MAX = 20;

const number = (title: string) => ({ title, kind: 'number' }) as const;

/** A load as a self-contained HTML document. */
export async function loadPage(result: LoadResult): Promise<string> {
  const steps = byRate(result).filter(({ answered, failed }) => answered + failed > 0);
  const sections: Section[] = [
    { title: 'Latency and rate', content: [...paragraphs(result), await charts(result, steps)] },
    { title: 'Rates', content: [beside([latencyTable(steps), workTable(steps), ...errorTable(steps)])] },
    ...shapeSection(result),
    { title: 'Measurement', content: [measurement(result), DEFINITIONS] },
  ];
  const { model } = result.server;
  const summary = `${result.url}${model === null ? '' : `, ${model}`}, ${result.started_at.slice(0, 10)}`;
  return page('Load', summary, sections, `decider ${result.client.version}`);
}

function paragraphs(result: LoadResult): Html[] {
  const lines = [...(result.find === null ? [] : [foundText(result.find)]), ...notes(result).flat()];
  return lines.map((line) => html`<p>${line}</p>`);
}

async function charts({ find }: LoadResult, steps: readonly StepResult[]): Promise<Html> {
  const rates = steps.map(({ rate }) => rate);
  const log = Math.max(...rates) > LINEAR_SPAN_MAX * Math.min(...rates);
  const x = { title: 'requests/s', format: 'number', log } as const;
  const latency = lineChart({
    title: 'Latency by rate',
    description: `The latency at each rate as percentiles, from ${rates.length} measured rates; the same values are in the table.`,
    ...(find && { note: 'The dashed lines are the target and the highest rate that meets it.' }),
    x,
    y: { title: 'ms', format: 'number', log: true },
    series: CHARTED.map((name) => ({
      name,
      points: steps.flatMap(({ rate, latency_ms }) => {
        const y = latency_ms[name];
        return y === null ? [] : [{ x: rate, y }];
      }),
    })),
    references: find === null ? [] : [{ y: find.ms }, ...(find.rate === null ? [] : [{ x: find.rate }])],
  });
  const domain = [0, Math.max(1, ...rates)] as const;
  const throughput = lineChart({
    title: 'Responses by rate',
    description: 'The answered requests per second at each rate; the dashed line is one answer per request.',
    note: 'Well below the dashed line, the server does not keep up.',
    x: { title: 'requests/s', format: 'number', domain },
    y: { title: 'answered/s', format: 'number', domain },
    series: [
      {
        name: 'answered/s',
        points: steps
          .filter(({ ended }) => ended !== 'missed_target')
          .map(({ rate, answered_per_second }) => ({ x: rate, y: answered_per_second })),
      },
    ],
    references: ['diagonal'],
  });
  return figures(await Promise.all([latency, throughput]));
}

function latencyTable(steps: readonly StepResult[]): Html {
  return table(
    'Latency in ms, from the intended start of a request',
    [number('requests/s'), number('mean'), ...PERCENTILES.map(([, title]) => number(title))],
    steps.map(({ rate, latency_ms }) => [
      showRate(rate),
      showMs(latency_ms.mean),
      ...percentiles(latency_ms),
    ]),
  );
}

const percentiles = (latency: LatencySummary) => PERCENTILES.map(([name]) => showMs(latency[name]));

const ENDS = { complete: 'complete', missed_target: 'misses the target', interrupted: 'interrupted' };

function workTable(steps: readonly StepResult[]): Html {
  return table(
    'Requests and work',
    [
      ...[
        'requests/s',
        'answered',
        'failed',
        'answered/s',
        'decisions/s',
        'input tokens/s',
        'client busy',
      ].map(number),
      { title: 'step', kind: 'text' },
    ],
    steps.map((step) => [
      showRate(step.rate),
      String(step.answered),
      String(step.failed),
      showMs(step.answered_per_second),
      showMs(step.decisions_per_second),
      String(Math.round(step.input_tokens_per_second)),
      `${Math.round(step.client.busy * 100)} %`,
      `${ENDS[step.ended]}, ${Math.round(step.seconds)} s`,
    ]),
  );
}

function errorTable(steps: readonly StepResult[]): Html[] {
  const rows = steps.flatMap(({ rate, errors }) =>
    errors.map(({ status, type, count }) => [showRate(rate), String(status ?? '–'), type, String(count)]),
  );
  if (rows.length === 0) return [];
  const columns = [
    number('requests/s'),
    number('status'),
    { title: 'type', kind: 'text' } as const,
    number('failed'),
  ];
  return [table('Failed requests', columns, rows)];
}

function shapeSection(result: LoadResult): Section[] {
  const step = mainStep(result);
  if (step === undefined) return [];
  const rows = Object.entries(step.latency_ms_by_shape).map(([shape, latency]) => [
    shape,
    String(latency.count),
    ...percentiles(latency),
  ]);
  const columns = [
    { title: 'shape', kind: 'text' } as const,
    number('requests'),
    ...PERCENTILES.map(([, title]) => number(title)),
  ];
  const caption = `Latency in ms at ${showRate(step.rate)} requests/s`;
  const meanings = Object.entries(SHAPES).filter(([shape]) => shape in step.latency_ms_by_shape);
  return [{ title: 'Request shapes', content: [table(caption, columns, rows), facts(meanings)] }];
}

function measurement({ server, client, load, started_at, finished_at }: LoadResult): Html {
  return facts([
    ['requests', load.requests],
    ['seed', String(load.seed)],
    ['model named', load.model ?? 'none'],
    ['connections', `at most ${load.connections}`],
    ['timeout', `${load.timeout_seconds} s`],
    ['lone request', `${showMs(server.lone_ms)} ms (median of 5)`],
    ['client', client.machine],
    ['started', started_at],
    ['finished', finished_at],
  ]);
}

const DEFINITIONS = html`<p>Requests arrive at random (Poisson) and are sent whether or not earlier ones were answered. A
latency counts from the time at which the request was due, so a server that pauses delays all requests of the pause.
Latencies are of requests that were answered or timed out. A percentile is shown if enough requests were measured for it
to differ from the maximum. Responses, decisions and tokens per second are of the responses within the measured time.</p>
`;
