import type { NumericsReport, TuneReport } from '../tuning/index.js';
import { table } from './text-table.js';

/** The result of `decider tune` for people. */
export function tuneText({ numerics, refusals }: TuneReport): string {
  const parts = numerics === null ? [] : [numericsText(numerics)];
  if (refusals.length > 0)
    parts.push(['Nothing is recommended:', ...refusals.map((each) => `- ${each}`)].join('\n'));
  return parts.join('\n\n');
}

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
