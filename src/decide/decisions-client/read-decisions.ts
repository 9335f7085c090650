type Fields = Readonly<Record<string, unknown>>;

/**
 * The response of `/v1/decisions` to a request that `decisionsBody` wrote, in the form of `/v1/systemone`. Fields of another
 * form stay as they are and are not checked.
 *
 * @param response parsed JSON
 */
export function fromDecisions(response: Fields): Fields {
  const { model, answers, usage } = response;
  if (!Array.isArray(answers)) return { model, answers, usage };
  const named = answers.map((answer: unknown) => {
    const fields = Object(answer) as Fields;
    return [String(fields.name), answerFields(fields)] as const;
  });
  return { model, answers: Object.fromEntries(named), usage };
}

function answerFields(answer: Fields): Fields {
  switch (answer.type) {
    case 'predicate':
      return predicateFields(answer);
    case 'choice':
    case 'score':
      return optionFields(answer);
    default:
      return answer;
  }
}

/** The probability of a predicate is not committed: without raw ones, it stands for them. */
function predicateFields({ probability, raw_probabilities: raw }: Fields): Fields {
  if (typeof probability !== 'number') return { type: 'noul' };
  const [yes, no] = Array.isArray(raw) ? raw : [probability, 1 - probability];
  return { type: 'noul', noul: probability, raw_probabilities: { true: yes, false: no } };
}

/** Probabilities by the value of an option; raw ones are in the same order. */
function optionFields({ probabilities, raw_probabilities: raw, ...answer }: Fields): Fields {
  if (!Array.isArray(probabilities)) return answer;
  const entries = probabilities.map((entry: unknown) => Object(entry) as Fields);
  const named = (of: readonly unknown[]) =>
    Object.fromEntries(entries.map(({ value }, at) => [String(value), of[at]]));
  return {
    ...answer,
    probabilities: named(entries.map(({ probability }) => probability)),
    ...(Array.isArray(raw) && { raw_probabilities: named(raw) }),
  };
}
