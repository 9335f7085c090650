import { chosen } from '../../statistics/index.js';
import type { AnsweredQuestion } from '../answered.js';
import type { Confusion } from '../report.js';

/** Options that a matrix has a row and a column for; the others share one. */
export const CONFUSION_OPTIONS_MAX = 12;

/**
 * How often each option was answered for each correct one. If there are more than `CONFUSION_OPTIONS_MAX` options, those
 * that are correct or answered most often have a row of their own. Options are in the order of the questions.
 */
export function confusionOf(questions: readonly AnsweredQuestion[]): Confusion {
  const uses = new Map<string, number>();
  for (const { options } of questions) for (const option of options) uses.set(option, uses.get(option) ?? 0);
  const pairs = questions.map(({ options, expected, probabilities }) => {
    const pair = [options[expected], options[chosen(probabilities)]] as [string, string];
    for (const option of pair) uses.set(option, (uses.get(option) as number) + 1);
    return pair;
  });
  const most = [...uses].sort(([, a], [, b]) => b - a).slice(0, CONFUSION_OPTIONS_MAX);
  const shown = new Set(most.map(([option]) => option));
  const options = [...uses.keys()].filter((option) => shown.has(option));
  const others = uses.size - options.length;
  const places = new Map(options.map((option, place) => [option, place]));
  const size = options.length + (others === 0 ? 0 : 1);
  const counts = Array.from({ length: size }, () => Array<number>(size).fill(0));
  for (const [expected, answer] of pairs) {
    const row = counts[places.get(expected) ?? options.length] as number[];
    row[places.get(answer) ?? options.length]! += 1;
  }
  return { options, others, counts };
}
