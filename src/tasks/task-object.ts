import { showWithOffset } from '../base/index.js';
import type { Task, TaskVersion } from './task-types.js';

/** A task in the list of a workspace's tasks (contract 2.13). */
export const taskSummary = (task: Task) => ({
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
 * A task as JSON (contract 2.13).
 *
 * @param known what is known about it. `versions`: oldest first. `questions`: those of the version in use, as JSON, which
 *   keeps their order. `answers`: how many are kept. `labels`: how many labelled answers it has.
 *   `fit`: the fit in force for the build that answers now, as JSON; null: there is none
 */
export function taskJson(
  task: Task,
  known: {
    readonly versions: readonly TaskVersion[];
    readonly questions: string;
    readonly answers: number;
    readonly labels: number;
    readonly fit: string | null;
  },
): string {
  const { versions, questions, answers, labels, fit } = known;
  const shown = versions.map(({ model, created }, at) => ({
    version: at + 1,
    model,
    created_at: showWithOffset(created),
  }));
  const rest = JSON.stringify({ ...taskSummary(task), versions: shown, answers, labels });
  return `${rest.slice(0, -1)},"fit":${fit},"questions":${questions}}`;
}
