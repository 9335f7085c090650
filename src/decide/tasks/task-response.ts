import { isAccepted, keptProbabilities } from '../../statistics/index.js';
import { answerOf } from '../answers/answer.js';
import { type Answered, responseJson } from '../answers/response.js';

/** The response about a task: that of `/v1/decide`, with `accept` at the end of each answer, and the task. */
export function taskResponse(answered: Answered): string {
  const { build, calibration, questions, units, usage, extras, task, probabilities } = answered;
  if (task === undefined || probabilities === undefined || calibration === undefined)
    throw new Error('a response about a task has no task');
  const acceptances = task.fits.find(
    (fit) => fit.build === build && fit.calibration === calibration,
  )?.acceptances;
  const answers = questions.map((question, index) => answerOf(question, units[index] as readonly number[]));
  const accepted = extras.map((each, index) => {
    const acceptance = acceptances?.[index] ?? null;
    const own = probabilities[index] ?? null;
    const accept =
      acceptance === null || own === null ? null : isAccepted(acceptance, keptProbabilities(own));
    return { ...each, accept };
  });
  return responseJson(build, questions, answers, usage, accepted, task);
}
