import type { Answer, ByName } from '../api/api-types.js';
import type { AskedQuestion } from './request.js';
import { sentOrder } from './sent-order.js';

/** The probability of an option, null if it was not one, and whether it was the answer. */
interface Side {
  readonly value: number | null;
  readonly chosen: boolean;
}

/** An option of two answers. */
export interface ComparedOption {
  readonly name: string;
  readonly first: Side;
  readonly second: Side;
}

interface ComparedQuestion {
  readonly name: string;
  readonly options: readonly ComparedOption[];
}

/** What is compared: answers, and the questions as they were sent. */
interface Compared {
  readonly questions: ReadonlyArray<Pick<AskedQuestion, 'name' | 'options'>>;
  readonly response: { readonly answers: ByName<Answer> };
}

/** The options of an answer with their probabilities, in the order sent, and the one that was chosen. */
function sidesOf(answer: Answer | undefined, options: readonly string[]): ReadonlyMap<string, Side> {
  if (answer === undefined) return new Map();
  if (answer.type === 'noul') {
    const yes = answer.noul >= 0.5;
    return new Map([
      ['Yes', { value: answer.noul, chosen: yes }],
      ['No', { value: 1 - answer.noul, chosen: !yes }],
    ]);
  }
  const chosen = answer.type === 'choice' ? answer.choice : String(answer.level);
  const nameOf = (key: string): string =>
    answer.type === 'score' && answer.legend[key] ? `${key} · ${answer.legend[key]}` : key;
  return new Map(
    sentOrder(options, answer.probabilities).map((key) => [
      nameOf(key),
      { value: answer.probabilities[key] as number, chosen: key === chosen },
    ]),
  );
}

const NONE: Side = { value: null, chosen: false };

/**
 * The questions of two responses: those of the first, then those that only the second has. A question that was only renamed
 * is not recognized.
 */
export function compareAnswers(first: Compared, second: Compared): ComparedQuestion[] {
  const namesOf = ({ questions, response }: Compared) =>
    sentOrder(
      questions.map(({ name }) => name),
      response.answers,
    );
  const of = ({ questions, response: { answers } }: Compared, name: string) =>
    sidesOf(
      Object.hasOwn(answers, name) ? answers[name] : undefined,
      questions.find((each) => each.name === name)?.options ?? [],
    );
  return [...new Set([...namesOf(first), ...namesOf(second)])].map((name) => {
    const [one, other] = [of(first, name), of(second, name)];
    const options = [...new Set([...one.keys(), ...other.keys()])].map((option) => ({
      name: option,
      first: one.get(option) ?? NONE,
      second: other.get(option) ?? NONE,
    }));
    return { name, options };
  });
}
