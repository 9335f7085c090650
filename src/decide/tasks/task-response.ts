import { answerOf } from '../answers/answer.js';
import { type Answered, responseJson } from '../answers/response.js';

/**
 * The response about a task: that of `/v1/decide`, with `accept` at the end of each answer, and the task.
 */
export function taskResponse({ build, questions, units, usage, extras, task }: Answered): string {
  if (task === undefined) throw new Error('a response about a task has no task');
  const answers = questions.map((question, index) => answerOf(question, units[index] as readonly number[]));
  const accepted = extras.map((each) => ({ ...each, accept: null }));
  return responseJson(build, questions, answers, usage, accepted, task);
}
