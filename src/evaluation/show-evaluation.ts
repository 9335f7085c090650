import type {
  EvaluationReport,
  Interval,
  OperatingPoint,
  OptionAveraging,
  Quality,
  ResampledUnit,
  TargetDescription,
} from './report.js';

/** How reports write numbers and targets, in the terminal and in HTML. */

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

export const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`;

/** Groups in the order of a table. An object lists keys that look like integers first, so its order means nothing. */
export const largestFirst = (groups: EvaluationReport['by_group']): ReadonlyArray<[string, Quality]> =>
  Object.entries(groups).sort(([, a], [, b]) => b.n - a.n);

/** What intervals resample. */
export const resampledText = (unit: ResampledUnit): string =>
  unit === 'groups'
    ? 'Whole groups are resampled; cases in parts with fewer than 20 groups.'
    : 'Whole cases are resampled.';

/** With a sign for each bound if `show` writes one. */
export const range = ([low, high]: Interval, show: (value: number) => string): string =>
  `${show(low)} to ${show(high)}`;

export const operatingPoint = ({ coverage, threshold }: OperatingPoint): string =>
  `${percent(coverage)} from p ≥ ${threshold.toFixed(4)}`;

/** The input tokens of averaged answers, as a multiple of those of the order sent. */
export const tokensText = ({ sent, averaged }: OptionAveraging['tokens']): string =>
  sent === 0 ? String(averaged) : `× ${(averaged / sent).toFixed(2)}`;

/** Whether the target has computed no further prompts. */
export const isIgnored = ({ tokens }: OptionAveraging): boolean => tokens.averaged === tokens.sent;

export const IGNORED_ROTATIONS =
  'The target has counted no further input tokens for further orders: it does not know the header Service-Option-Rotations.';

export function targetText(target: TargetDescription): string {
  switch (target.kind) {
    case 'engine':
      return `engine in process, ${target.backend}, ${target.exact ? 'exact' : 'normal'} mode`;
    case 'server':
      return `${target.url}, ${target.concurrency} requests at a time`;
    case 'results':
      return `batch results ${target.file}`;
  }
}

/** What a target wrote is of any length: the beginning, and an ellipsis if there is more. */
export const shortened = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`;

const MODELS_SHOWN = 5;
const MODEL_LENGTH = 100;

/** The names of the builds that answered. */
export function modelsText(models: readonly string[]): string {
  const names = models.slice(0, MODELS_SHOWN).map((name) => shortened(name, MODEL_LENGTH));
  const more = models.length - names.length;
  return more === 0 ? names.join(', ') : `${names.join(', ')} and ${more} more`;
}
