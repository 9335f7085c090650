import { printable } from '../base/index.js';
import { roundProbabilities, UNITS } from '../decide/index.js';
import type { AnsweredQuestion } from './answered.js';
import type { Case, ExpectedAnswer } from './cases/case.js';

/** A response that does not answer its case; the message says why. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

/** The answers of a response to a case, and its usage. */
export interface ReadResponse {
  readonly answered: readonly AnsweredQuestion[];
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** How far the probabilities of a server may be from a sum of 1. */
const SUM_TOLERANCE = 0.01;
/** Within this, a sum is 1 but for floating-point rounding. */
const ROUNDING = 1e-9;

/**
 * Reads a decide response, of this server or of another one with the System One interface.
 *
 * @param response parsed JSON
 * @param temperatures of the questions, if the target tells
 * @throws BadAnswer
 */
export function readResponse(
  asked: Case,
  response: unknown,
  temperatures: Readonly<Record<string, number>> | null = null,
): ReadResponse {
  const { model, answers, usage } = objectOf(response, 'the response');
  const given = objectOf(answers, '`answers`');
  const { input_tokens: input, output_tokens: output } = objectOf(usage ?? {}, '`usage`');
  const named = typeof model === 'string' ? printable(model) : '';
  return {
    answered: asked.answers.map((expected) => ({
      case: asked.id,
      question: expected.question,
      type: expected.type,
      group: asked.group,
      split: asked.split,
      model: named,
      options: expected.options,
      expected: expected.expected,
      ...readAnswer(expected, own(given, expected.question)),
      temperature: temperatures === null ? null : ((own(temperatures, expected.question) as number) ?? null),
    })),
    model: named,
    inputTokens: tokens(input),
    outputTokens: tokens(output),
  };
}

/** A count that is multiplied by a price; anything else counts as 0. */
const tokens = (count: unknown): number =>
  Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : 0;

/** The probabilities of one answer. */
function readAnswer(
  { question, type, options }: ExpectedAnswer,
  answer: unknown,
): Pick<AnsweredQuestion, 'probabilities' | 'committed' | 'raw'> {
  const fields = objectOf(answer, `the answer to ${JSON.stringify(question)}`);
  if (fields.type !== type) {
    throw new BadAnswer(`the answer to ${JSON.stringify(question)} has not the type ${type}`);
  }
  const raw =
    fields.raw_probabilities === undefined ? null : byOption(question, options, fields.raw_probabilities);
  if (type !== 'noul') {
    return { probabilities: byOption(question, options, fields.probabilities), committed: false, raw };
  }
  if (raw !== null) {
    return { probabilities: roundProbabilities(raw).map((units) => units / UNITS), committed: false, raw };
  }
  const yes = probability(question, fields.noul);
  return { probabilities: [yes, Math.round((1 - yes) * 1e12) / 1e12], committed: true, raw };
}

function byOption(question: string, options: readonly string[], value: unknown): number[] {
  const named = objectOf(value, `\`probabilities\` of ${JSON.stringify(question)}`);
  const p = options.map((option) => probability(question, own(named, option)));
  const sum = p.reduce((a, b) => a + b, 0);
  if (Math.abs(sum - 1) <= ROUNDING) return p;
  if (Math.abs(sum - 1) <= SUM_TOLERANCE) return p.map((each) => each / sum);
  throw new BadAnswer(`the probabilities of ${JSON.stringify(question)} sum to ${sum}`);
}

function probability(question: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw new BadAnswer(`the answer to ${JSON.stringify(question)} lacks a probability from 0 to 1`);
}

/** `__proto__` is a valid name of a question or label. */
const own = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

function objectOf(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new BadAnswer(`${what} is missing or not an object`);
}
