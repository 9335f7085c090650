import type { Option, Question } from '../../../src/decide/decide-types.js';

export const NOUL: Question = {
  name: 'q',
  type: 'noul',
  instructions: null,
  options: [
    { key: 'true', name: 'Yes', description: null },
    { key: 'false', name: 'No', description: null },
  ],
};

export function choiceOf(...labels: string[]): Question {
  const options = labels.map((label): Option => ({ key: label, name: label, description: null }));
  return { name: 'q', type: 'choice', instructions: null, options };
}

export function scoreOf(...descriptions: Array<string | null>): Question {
  const options = descriptions.map(
    (description, level): Option => ({ key: String(level), name: `Level ${level}`, description }),
  );
  return { name: 'q', type: 'score', instructions: null, options };
}

/** Logits whose softmax at temperature 1 is `p`; a probability of 0 becomes one far below 1e-4. */
export function logitsOf(...p: number[]): number[] {
  return p.map((value) => (value === 0 ? -1e3 : Math.log(value)));
}
