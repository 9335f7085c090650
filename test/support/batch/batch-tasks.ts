import type { BatchTasks } from '../../../src/batch/index.js';
import { ServedBatchTasks } from '../../../src/server/batch-tasks.js';
import { TaskAsking } from '../../../src/server/task-asking.js';
import { putTask, type Task, type TaskStore } from '../../../src/tasks/index.js';
import { Metrics } from '../../../src/telemetry/index.js';

/** The tasks of a storage as batches use them. */
export const batchTasks = (tasks: TaskStore): BatchTasks =>
  new ServedBatchTasks(
    { tasks },
    new TaskAsking(tasks, new Metrics(), { error: () => {} }, { add: () => {} }),
  );

/** Bounds that no test reaches. */
export const TASK_BOUNDS = { answersOfTask: 10_000, maxAnswers: () => 1_000_000, retentionDays: () => 30 };

export const YES_OR_NO = '{"q":{"type":"noul"}}';

/** Puts a task of a workspace. */
export function putOf(
  tasks: TaskStore,
  workspace: string,
  name: string,
  questions = YES_OR_NO,
  model: string | null = 'm',
): Promise<Task> {
  const content = { questions, model, description: null, targetError: 0.05, confidence: 0.95, shadow: null };
  const place = { workspace, name };
  return tasks.put(place, content, (before, id, now) => putTask(before, { ...place, id }, content, now));
}

/** A line of a batch file that names a task. */
export const taskLine = (customId: string, task: unknown = 't', more: object = {}) =>
  JSON.stringify({ custom_id: customId, task, state: customId, ...more });
