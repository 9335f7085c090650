import {
  type EngineChoice,
  type MeasuredSpeed,
  type NumericsReport,
  predictionError,
  scoreOfVerified,
  type TuneReport,
} from '../tuning/index.js';
import { facts, table } from './text-table.js';

/** The result of `decider tune` for people. */
export function tuneText(report: TuneReport): string {
  const { numerics, speed, verified, refusals, recommended, notes } = report;
  const parts = [
    ...(numerics === null ? [] : [numericsText(numerics)]),
    ...speed.map(speedText),
    ...(verified.length === 0 ? [] : [candidatesText(report), shapesText(report)]),
    ...notes,
  ];
  if (refusals.length > 0)
    parts.push(['Nothing is recommended:', ...refusals.map((each) => `- ${each}`)].join('\n'));
  if (recommended !== null) parts.push(`Recommended:\n${snippet(recommended)}`);
  return parts.join('\n\n');
}

/** What goes into the manifest. */
const snippet = (choice: EngineChoice) => JSON.stringify({ engine: choice }, null, 2);

const HEAD = ['answers', 'questions', 'largest |Δp|', 'mean |Δp|', 'changed'];

function numericsText({ prompts, questions, alone, together, repeated }: NumericsReport): string {
  const compared = {
    'device and CPU, each prompt alone': alone,
    'device and CPU, eight prompts together': together,
    [`device, one prompt ${repeated.times} times alone`]: repeated.alone,
    'device, the same in changing company': repeated.together,
  };
  const rows = Object.entries(compared).map(([name, difference]) => [
    name,
    String(difference.questions),
    showDifference(difference.largest),
    showDifference(difference.mean),
    String(difference.changed),
  ]);
  return `Answers to ${prompts} prompts, ${questions} questions\n${table(HEAD, rows, HEAD.slice(1))}`;
}

const showDifference = (value: number) => (value === 0 ? '0' : value.toExponential(1));

function speedText({ threads, costs, spread, error, decodes }: MeasuredSpeed): string {
  const ranges = costs.ranges.map(({ upTo, tokenMs }, index) => {
    const from = (costs.ranges[index - 1]?.upTo ?? 0) + 1;
    return [
      `token ${from} to ${Number.isFinite(upTo) ? upTo : 'the last'}`,
      `${showMs(tokenMs)} ms`,
    ] as const;
  });
  return `Constants, threads: ${threads}\n${facts({
    'a decode': `${showMs(costs.decodeMs)} ms, and on the host ${showMs(costs.hostDecodeMs)} ms`,
    ...Object.fromEntries(ranges),
    'per token on the host': `${showMs(costs.hostTokenMs)} ms`,
    'per token and 1,000 cells': `${showMs(costs.tokenCellMs * 1_000)} ms, of its own prompt ${showMs((costs.visibleMs + costs.tokenCellMs) * 1_000)} ms`,
    'row of logits': `${showMs(costs.rowMs)} ms`,
    fit: `${decodes.length} decodes, ${percent(error.median)} apart in the median, ${percent(error.largest)} at most`,
    repeats: `the same decode usually took up to ${spread.usual.toFixed(2)} times its fastest run, at most ${spread.largest.toFixed(1)} times`,
  })}`;
}

const SETTINGS = ['wave tokens', 'contexts', 'sequences', 'threads', 'predicted ms', 'measured ms', 'rounds'];

function candidatesText({ goal, workload, verified }: TuneReport): string {
  const rows = verified.map(({ choice, predicted, measured, failure }) => [
    ...[choice.wave_tokens, choice.contexts, choice.sequences, choice.threads].map(String),
    showMs(predicted),
    failure === null ? showMs(scoreOfVerified({ measured })) : 'failed',
    String(measured.length),
  ]);
  const what =
    goal === 'latency'
      ? `95th percentile of the latency of ${workload?.requests} requests, one every ${showMs(workload?.gapMs ?? 0)} ms on average`
      : `time of ${workload?.requests} requests at once`;
  return `${what}; the first settings are the current ones\n${table(SETTINGS, rows, SETTINGS)}`;
}

const SHAPES = [
  'requests, with the current settings',
  'predicted ms',
  'measured ms',
  'difference',
  'roofline',
];

function shapesText({ verified: [current], roofline }: TuneReport): string {
  const rows = (current?.shapes ?? []).map((shape, index) => [
    shape.title,
    showMs(shape.predicted),
    showMs(scoreOfVerified(shape)),
    percent(predictionError(shape)),
    percent(roofline[index] ?? Number.NaN),
  ]);
  return table(SHAPES, rows, SHAPES.slice(1));
}

const percent = (part: number) => `${Math.round(part * 100)} %`;

const showMs = (ms: number) => (ms >= 100 ? ms.toFixed(0) : Number(ms.toPrecision(3)).toString());
