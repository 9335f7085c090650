import { OPTION_KINDS, type QuestionType } from '../api/index.js';
import { chosen, confidenceOf, isCorrect } from '../statistics/index.js';
import type { AnsweredQuestion, Split } from './answered.js';
import type { Case } from './cases/case.js';

/** A line of the file that `decider eval --errors` writes. */
export interface WrongAnswer {
  /** The id of the case, and its line in the cases file. */
  readonly case: string;
  readonly line: number;
  readonly question: string;
  readonly type: QuestionType;
  readonly group: string | null;
  readonly split: Split | null;
  /** The build that answered. */
  readonly model: string;
  /** In the form of a cases file: true or false, a label, or the number of a level. */
  readonly expected: boolean | string | number;
  readonly answer: boolean | string | number;
  /** The probability of the answer. */
  readonly confidence: number;
  /** By option. */
  readonly probabilities: Readonly<Record<string, number>>;
  /** Whether only the committed probability is known. */
  readonly committed: boolean;
}

/** The answers that are wrong, the most confident first; of equally confident ones in the order of the cases. */
export function wrongAnswers(answered: readonly AnsweredQuestion[], cases: readonly Case[]): WrongAnswer[] {
  const lines = new Map(cases.map(({ id, line }) => [id, line]));
  return answered
    .filter((question) => !isCorrect(question))
    .map((question) => wrongAnswer(question, lines.get(question.case) as number))
    .sort((a, b) => b.confidence - a.confidence);
}

function wrongAnswer(question: AnsweredQuestion, line: number): WrongAnswer {
  const { case: id, question: name, type, group, split, model, options, probabilities, committed } = question;
  return {
    ...{ case: id, line, question: name, type, group, split, model },
    expected: optionValue(question, question.expected),
    answer: optionValue(question, chosen(probabilities)),
    confidence: confidenceOf(probabilities),
    probabilities: Object.fromEntries(options.map((option, at) => [option, probabilities[at] as number])),
    committed,
  };
}

/** An option in the form of `expected` of a cases file. */
function optionValue({ type, options }: AnsweredQuestion, option: number): boolean | string | number {
  const key = options[option] as string;
  switch (OPTION_KINDS[type]) {
    case 'sides':
      return key === 'true';
    case 'labels':
      return key;
    case 'levels':
      return Number(key);
  }
}
