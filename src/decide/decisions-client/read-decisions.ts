type Fields = Readonly<Record<string, unknown>>;

/**
 * The response of `/v1/decisions` to a request that `decisionsBody` wrote, in the form of `/v1/systemone`. Fields of another
 * form stay as they are, for whoever checks them.
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
      return predicateFields(answer.probability);
    case 'choice':
      return { ...answer, probabilities: byName(answer.probabilities, ({ value }) => value) };
    case 'score':
      return { ...answer, probabilities: byName(answer.probabilities, ({ value }) => value) };
    default:
      return answer;
  }
}

/** The probability is not committed, as the raw ones of a noul. */
function predicateFields(probability: unknown): Fields {
  if (typeof probability !== 'number') return { type: 'noul' };
  return {
    type: 'noul',
    noul: probability,
    raw_probabilities: { true: probability, false: 1 - probability },
  };
}

function byName(probabilities: unknown, nameOf: (entry: Fields) => unknown): unknown {
  if (!Array.isArray(probabilities)) return probabilities;
  return Object.fromEntries(
    probabilities.map((entry: unknown) => [String(nameOf(Object(entry))), Object(entry).probability]),
  );
}
