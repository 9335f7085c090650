import { showInstant } from '../../base/index.js';
import { type ShadowCounts, shadowReportOf } from '../../statistics/index.js';
import type { Task } from '../task-types.js';
import type { Compared } from './shadow-record.js';

/**
 * The shadow of a task as JSON (contract 2.15), its questions in the order of the task.
 *
 * @param builds those that are compared; null: the server does not serve it
 * @param since when counting began, in milliseconds since 1970; null: nothing is counted
 */
export function shadowJson(
  { model, share }: NonNullable<Task['shadow']>,
  builds: { readonly [Name in keyof Pick<Compared, 'live' | 'shadow'>]: string | null },
  since: number | null,
  names: readonly string[],
  counts: readonly ShadowCounts[],
): string {
  const head = { model, share, builds, since: since === null ? null : showInstant(since) };
  const questions = names.map(
    (name, at) => `${JSON.stringify(name)}:${JSON.stringify(shadowReportOf(counts[at] as ShadowCounts))}`,
  );
  return `${JSON.stringify(head).slice(0, -1)},"questions":{${questions.join(',')}}}`;
}
