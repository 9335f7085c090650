import type { Question } from '../decide-types.js';
import type { AskedTask } from '../tasks/completed-body.js';
import type { Answer, Pairs } from './answer.js';

/** Tokens of one call (contract 2.4 `usage`). */
interface Usage {
  readonly inputTokens: number;
  /** Answered questions. */
  readonly outputTokens: number;
  /** Of the input tokens, those that the prefix cache saved. */
  readonly cachedTokens: number;
}

/** What a response is made of. */
export interface Answered {
  readonly build: string;
  /** See `CatalogBuild`. Undefined: no task asked. */
  readonly calibration?: string;
  readonly questions: readonly Question[];
  /** Per question the emitted probabilities of its options, in units (see `roundProbabilities`); null: it does not fit. */
  readonly units: ReadonlyArray<readonly number[] | null>;
  /** The same, neither rounded nor committed; null also if they are a mean over orders. Undefined: no task asked. */
  readonly probabilities?: ReadonlyArray<Float64Array | null>;
  readonly usage: Usage;
  /** Per question. */
  readonly extras: readonly Extras[];
  /** The task that asked; undefined: none did. */
  readonly task?: AnsweredTask | undefined;
}

/** What the response about a task is made from. */
type AnsweredTask = Pick<AskedTask, 'name' | 'version' | 'fits'>;

/** What an answer has on request, besides its fields. Null: not requested. */
export interface Extras {
  /** `raw_probabilities`, by option. */
  readonly raw: Pairs<number> | null;
  readonly labelMass: number | null;
  /** Of an answer about a task; null: no threshold is in force. */
  readonly accept?: boolean | null;
}

const NO_EXTRAS: Extras = { raw: null, labelMass: null };

/**
 * The JSON of a decide response (contract 2.4): answers in the order of the questions, probabilities and legends in the
 * order of the criteria, for any names. Lone surrogates are escaped, so that it can be encoded as UTF-8.
 *
 * @param model the build that answered
 * @param answers one per question, in their order
 * @param extras one per answer; none: nothing is requested
 * @param task undefined: the request was about none
 * @throws Error if there is not one answer per question
 */
export function responseJson(
  model: string,
  questions: readonly Question[],
  answers: readonly Answer[],
  usage: Omit<Usage, 'cachedTokens'>,
  extras: readonly Extras[] = [],
  task?: Pick<AnsweredTask, 'name' | 'version'>,
): string {
  if (answers.length !== questions.length) {
    throw new Error(`${answers.length} answers to ${questions.length} questions`);
  }
  const fields: Array<readonly [name: string, json: string]> = [
    ['model', JSON.stringify(model)],
    [
      'answers',
      objectJson(questions.map(({ name }, index) => [name, answerJson(answers[index]!, extras[index])])),
    ],
    ['usage', JSON.stringify({ input_tokens: usage.inputTokens, output_tokens: usage.outputTokens })],
  ];
  if (task !== undefined) {
    fields.push(['task', JSON.stringify({ name: task.name, version: task.version })]);
  }
  return objectJson(fields);
}

/** One answer as its JSON text (contract 2.4), its fields in their order. */
export function answerJson(answer: Answer, { raw, labelMass, accept }: Extras = NO_EXTRAS): string {
  const fields = Object.entries(answer).map(
    ([name, value]) => [name, Array.isArray(value) ? valuesJson(value) : JSON.stringify(value)] as const,
  );
  if (raw !== null) fields.push(['raw_probabilities', valuesJson(raw)]);
  if (labelMass !== null) fields.push(['label_mass', JSON.stringify(labelMass)]);
  if (accept !== undefined) fields.push(['accept', JSON.stringify(accept)]);
  return objectJson(fields);
}

function valuesJson(pairs: Pairs<string | number>): string {
  return objectJson(pairs.map(([name, value]) => [name, JSON.stringify(value)]));
}

/** Joins names and values that are JSON already into an object. */
function objectJson(entries: Pairs<string>): string {
  return `{${entries.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}
