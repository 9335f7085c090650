import { answerOf } from '../answers/answer.js';
import { UNITS } from '../answers/probabilities.js';
import type { Answered, Extras } from '../answers/response.js';
import type { Question } from '../decide-types.js';

/**
 * The response of `/v1/decisions` as JSON: answers in the order of the questions, from the same emitted probabilities as
 * those of `/v1/decide`. A question that does not fit the context window is a `refusal`.
 */
export function decisionsJson({ build, questions, units, usage, extras }: Answered): string {
  const { inputTokens, outputTokens, cachedTokens } = usage;
  return JSON.stringify({
    model: build,
    answers: questions.map((question, index) => ({
      ...answerFields(question, units[index] ?? null),
      ...extraFields(extras[index]),
    })),
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + outputTokens,
    },
  });
}

function answerFields(question: Question, units: readonly number[] | null): object {
  const { name, values } = question.repeats ?? { name: question.name, values: [] };
  if (units === null) return { type: 'refusal', name };
  const answer = answerOf(question, units);
  const probabilityOf = (option: number) => (units[option] as number) / UNITS;
  switch (answer.type) {
    case 'noul':
      // Not committed, unlike `answer.noul`.
      return { type: 'predicate', name, probability: probabilityOf(0) };
    case 'choice': {
      // By position: a label does not tell `true` from `"true"`.
      const choice = values[units.indexOf(Math.max(...units))];
      const probabilities = values.map((value, option) => ({ value, probability: probabilityOf(option) }));
      return { type: 'choice', name, choice, confidence: answer.confidence, probabilities };
    }
    case 'score': {
      const { score, confidence } = answer;
      const probabilities = values.map((label, value) => ({
        value,
        label,
        probability: probabilityOf(value),
      }));
      return { type: 'score', name, score, confidence, probabilities };
    }
  }
}

/** The raw probabilities are in the order of the options; of a predicate, of true and false. */
function extraFields(extras: Extras | undefined): object {
  const { raw = null, labelMass = null } = extras ?? {};
  return {
    ...(raw !== null && { raw_probabilities: raw.map(([, probability]) => probability) }),
    ...(labelMass !== null && { label_mass: labelMass }),
  };
}
