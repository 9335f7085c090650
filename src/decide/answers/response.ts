import type { Question } from '../decide-types.js';
import type { Answer, Pairs } from './answer.js';

/** Tokens of one call (contract 2.4 `usage`). */
interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What a response is made of. */
export interface Answered {
  readonly build: string;
  readonly questions: readonly Question[];
  /** Per question the emitted probabilities of its options, in units (see `emitted`). */
  readonly units: ReadonlyArray<readonly number[]>;
  readonly usage: Usage;
  /** Per question the `raw_probabilities`; null: not requested. */
  readonly raw: ReadonlyArray<Pairs<number>> | null;
}

/**
 * The JSON of a decide response (contract 2.4): answers in the order of the questions, probabilities and legends in the
 * order of the criteria, for any names. Lone surrogates are escaped, so that it can be encoded as UTF-8.
 *
 * @param model the build that answered
 * @param answers one per question, in their order
 * @param raw the `raw_probabilities` of each answer; null: not requested
 * @throws Error if there is not one answer per question
 */
export function responseJson(
  model: string,
  questions: readonly Question[],
  answers: readonly Answer[],
  usage: Usage,
  raw: ReadonlyArray<Pairs<number>> | null = null,
): string {
  if (answers.length !== questions.length) {
    throw new Error(`${answers.length} answers to ${questions.length} questions`);
  }
  return objectJson([
    ['model', JSON.stringify(model)],
    [
      'answers',
      objectJson(questions.map(({ name }, index) => [name, answerJson(answers[index]!, raw?.[index])])),
    ],
    ['usage', JSON.stringify({ input_tokens: usage.inputTokens, output_tokens: usage.outputTokens })],
  ]);
}

/** One answer as its JSON text (contract 2.4), its fields in their order. */
export function answerJson(answer: Answer, raw?: Pairs<number>): string {
  const fields = Object.entries(answer).map(
    ([name, value]) => [name, Array.isArray(value) ? valuesJson(value) : JSON.stringify(value)] as const,
  );
  return objectJson(raw === undefined ? fields : [...fields, ['raw_probabilities', valuesJson(raw)]]);
}

function valuesJson(pairs: Pairs<string | number>): string {
  return objectJson(pairs.map(([name, value]) => [name, JSON.stringify(value)]));
}

/** Joins names and values that are JSON already into an object. */
function objectJson(entries: Pairs<string>): string {
  return `{${entries.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}
