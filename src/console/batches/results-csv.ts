import type { Results } from './shown-results.js';

/** The results as a table: a row per line, and for each question its answer and confidence. */
export function resultRows({ rows, questions }: Results): Array<Array<string | number>> {
  const titles = questions.flatMap((name) => [name, `${name} (confidence)`]);
  return [
    ['custom_id', ...titles, 'error'],
    ...rows.map(({ id, answers, error }) => [
      id,
      ...questions.flatMap((name) => {
        const answer = answers.get(name);
        return answer === undefined ? ['', ''] : [answer.value, answer.confidence];
      }),
      error?.type ?? '',
    ]),
  ];
}
