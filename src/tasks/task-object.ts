import { showInstant, showWithOffset } from '../base/index.js';
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
 *   `fit`: the fit in force for the build that answers now, as JSON; null: there is none. `shadow`: see `shadowJson`
 */
export function taskJson(
  task: Task,
  known: {
    readonly versions: readonly TaskVersion[];
    readonly questions: string;
    readonly answers: number;
    readonly labels: number;
    readonly fit: string | null;
    readonly shadow: string;
  },
): string {
  const { versions, questions, answers, labels, fit, shadow } = known;
  const shown = versions.map(({ model, created }, at) => ({
    version: at + 1,
    model,
    created_at: showWithOffset(created),
  }));
  const rest = JSON.stringify({ ...taskSummary(task), versions: shown, answers, labels });
  return `${rest.slice(0, -1)},"fit":${fit},"shadow":${shadow},"questions":${questions}}`;
}
