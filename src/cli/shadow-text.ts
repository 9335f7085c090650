import { showCount, showTime, visible } from '../base/index.js';
import type { Task } from '../client/index.js';
import { entriesOf } from './sent-json.js';
import { table } from './text-table.js';

type Shadow = NonNullable<Task['shadow']>;
type Compared = Shadow['questions'][string];
type Estimate = Compared['agreement'];

const HEAD = [
  'question',
  'answers',
  'agreement',
  'mean |Δp|',
  'largest |Δp|',
  'accept changed',
  'labels',
  'accuracy',
  'of the shadow',
  'difference',
];

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const estimate = (found: Estimate): string =>
  found === null
    ? ''
    : `${percent(found.value)} (${percent(found.ci[0] as number)} to ${percent(found.ci[1] as number)})`;
const value = (number: number | null): string => (number === null ? '' : number.toFixed(4));

/**
 * How the shadow build of a task compares, as text for a terminal.
 *
 * @param names those of the questions, in their order
 */
export function shadowText(
  { model, share, builds, since, questions }: Shadow,
  names: readonly string[],
): string {
  const named = builds.shadow ?? `${visible(model)}, which the server does not serve`;
  const counted = since === null ? 'nothing is counted yet' : `counted since ${showTime(since)}`;
  return [
    `Shadow build: ${named}, on ${percent(share)} of the requests; ${counted}.`,
    '',
    table(
      HEAD,
      entriesOf(names, questions).map(([name, compared]) => rowOf(name, compared)),
      HEAD.slice(1),
    ),
  ].join('\n');
}

const rowOf = (name: string, compared: Compared): string[] => [
  name,
  showCount(compared.answers),
  estimate(compared.agreement),
  value(compared.mean_difference),
  value(compared.largest_difference),
  estimate(compared.accept_changed),
  showCount(compared.labels),
  estimate(compared.live_accuracy),
  estimate(compared.shadow_accuracy),
  estimate(compared.accuracy_difference),
];
