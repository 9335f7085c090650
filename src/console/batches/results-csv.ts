import type { Results } from './shown-results.js';

/** A table with more cells does not fit into the memory of a browser: every line may have questions of its own. */
const CELLS_MAX = 10_000_000;

/** Whether the results can be a table of CSV. */
export const fitsCsv = ({ rows, questions }: Results): boolean =>
  (rows.length + 1) * (2 * questions.length + 2) <= CELLS_MAX;

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
