import { ApiError, LIMITS, OPTION_KINDS } from '../api/index.js';
import type { Question, QuestionUses } from './decide-types.js';

/**
 * The orders in which the options of a question are asked, each as the number of places by which they are rotated: 0, as
 * sent, comes first, and the others are evenly spaced. Labels are asked in `rotations` orders, at most as many as there
 * are; sides and levels have one order only.
 */
export function rotationsOf({ type, options }: Question, rotations: number): number[] {
  const count = OPTION_KINDS[type] === 'labels' ? Math.min(rotations, options.length) : 1;
  return Array.from({ length: count }, (_, index) => Math.floor((index * options.length) / count));
}

/** A list that begins `by` places later; what was before that place follows at the end. */
export function rotated<Item>(list: readonly Item[], by: number): Item[] {
  return [...list.slice(by), ...list.slice(0, by)];
}

/** A question with its options in another order, and its image references with them. */
export function inOrder(
  question: Question,
  { instructions, descriptions }: QuestionUses,
  by: number,
): { readonly question: Question; readonly uses: QuestionUses } {
  return {
    question: { ...question, options: rotated(question.options, by) },
    uses: { instructions, descriptions: rotated(descriptions, by) },
  };
}

/**
 * Refuses rotations that would take more than `LIMITS.promptsPerRequest` prompts. A request without rotations passes.
 *
 * @param name what asks for the rotations: a header or a field
 * @throws ApiError `invalid_request`
 */
export function requireFewPrompts(questions: readonly Question[], rotations: number, name: string): void {
  if (rotations === 1) return;
  const prompts = questions.reduce((sum, question) => sum + rotationsOf(question, rotations).length, 0);
  if (prompts <= LIMITS.promptsPerRequest) return;
  throw new ApiError(
    'invalid_request',
    `\`${name}\`: ${rotations} rotations of the options lead to ${prompts} prompts; the limit is ${LIMITS.promptsPerRequest} per request.`,
  );
}
