import type { Answer, ByName } from '../api/api-types.js';

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

/** The options of an answer with their probabilities, in its order, and the one that was chosen. */
function sidesOf(answer: Answer | undefined): ReadonlyMap<string, Side> {
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
    Object.entries(answer.probabilities).map(([key, value]) => [
      nameOf(key),
      { value, chosen: key === chosen },
    ]),
  );
}

const NONE: Side = { value: null, chosen: false };

/**
 * The questions of two responses: those of the first, then those that only the second has. A question that was only renamed
 * is not recognized.
 */
export function compareAnswers(first: ByName<Answer>, second: ByName<Answer>): ComparedQuestion[] {
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  const of = (answers: ByName<Answer>, name: string) =>
    sidesOf(Object.hasOwn(answers, name) ? answers[name] : undefined);
  return names.map((name) => {
    const [one, other] = [of(first, name), of(second, name)];
    const options = [...new Set([...one.keys(), ...other.keys()])].map((option) => ({
      name: option,
      first: one.get(option) ?? NONE,
      second: other.get(option) ?? NONE,
    }));
    return { name, options };
  });
}
