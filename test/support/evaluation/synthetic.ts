import type { Random } from '../../../src/base/index.js';
import type { AnsweredQuestion } from '../../../src/evaluation/index.js';

/** Normal numbers by the method of Box and Muller. */
export function normal(next: Random): number {
  return Math.sqrt(-2 * Math.log(1 - next.number())) * Math.cos(2 * Math.PI * next.number());
}

export function softmax(logits: readonly number[]): number[] {
  const weights = logits.map(Math.exp);
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

export function drawn(next: Random, p: readonly number[]): number {
  const at = next.number();
  let sum = 0;
  const index = p.findIndex((each) => {
    sum += each;
    return at < sum;
  });
  return index < 0 ? p.length - 1 : index;
}

/** An answered choice question. */
export function answeredQuestion(
  id: string,
  probabilities: readonly number[],
  expected: number,
  own: Partial<AnsweredQuestion> = {},
): AnsweredQuestion {
  return {
    case: id,
    question: 'q',
    type: 'choice',
    group: null,
    split: null,
    model: 'synthetic',
    options: probabilities.map((_, index) => String(index)),
    expected,
    probabilities,
    committed: false,
    raw: null,
    temperature: null,
    ...own,
  };
}
