import type { Task, TaskFit } from '../task-types.js';
import type { FittedQuestions } from './fit-labels.js';

/**
 * A fit as JSON (contract 2.14), its questions in the order of the task.
 *
 * @param fittedAt ISO 8601
 */
export function fitJson(
  { name }: Pick<Task, 'name'>,
  { version, build, targetError, confidence }: TaskFit,
  names: readonly string[],
  fitted: FittedQuestions,
  fittedAt: string,
): string {
  const head = JSON.stringify({
    object: 'fit',
    task: { name, version },
    model: build,
    target_error: targetError,
    confidence,
    fitted_at: fittedAt,
  });
  const questions = names.map((each, at) => `${JSON.stringify(each)}:${JSON.stringify(fitted[at])}`);
  return `${head.slice(0, -1)},"questions":{${questions.join(',')}}}`;
}
