import { showInstant, showWithOffset } from '../base/index.js';
import type { TaskWarning } from './monitor/monitor-object.js';
import type { TaskCounts } from './task-store.js';
import type { Task, TaskFit, TaskVersion } from './task-types.js';

/** What a task and its entry of a list share. */
const taskSummary = (task: Task) => ({
  object: 'task',
  name: task.name,
  version: task.version,
  model: task.model,
  description: task.description,
  target_error: task.targetError,
  confidence: task.confidence,
  created_at: showWithOffset(task.created),
  updated_at: showWithOffset(task.changed),
});

/**
 * A task as an entry of the list of a workspace's tasks (contract 2.13).
 *
 * @param fit the fit in force for the build that answers now; undefined: there is none
 */
export const taskEntry = (task: Task, { answers, labels }: TaskCounts, fit: TaskFit | undefined) => ({
  ...taskSummary(task),
  answers,
  labels,
  fitted_at: fit === undefined ? null : showInstant(fit.at),
});

/**
 * A task as JSON (contract 2.13).
 *
 * @param known what is known about it. `versions`: oldest first. `questions`: those of the version in use, as JSON, which
 *   keeps their order. `answers`: how many are kept. `labels`: how many labelled answers it has.
 *   `fit`: the fit in force for the build that answers now, as JSON; null: there is none. `drift`: what its answers say since
 *   the fit, as JSON; null: there is no fit, or an earlier version of the program made it. `shadow`: see `shadowJson`
 */
export function taskJson(
  task: Task,
  known: {
    readonly versions: readonly TaskVersion[];
    readonly questions: string;
    readonly answers: number;
    readonly labels: number;
    readonly fit: string | null;
    readonly drift: string | null;
    readonly warnings: readonly TaskWarning[];
    readonly shadow: string;
  },
): string {
  const { versions, questions, answers, labels, fit, drift, warnings, shadow } = known;
  const shown = versions.map(({ model, created }, at) => ({
    version: at + 1,
    model,
    created_at: showWithOffset(created),
  }));
  const rest = JSON.stringify({ ...taskSummary(task), versions: shown, answers, labels });
  const more = `"fit":${fit},"drift":${drift},"warnings":${JSON.stringify(warnings)},"shadow":${shadow}`;
  return `${rest.slice(0, -1)},${more},"questions":${questions}}`;
}
