import { wilson } from '../../../src/statistics/metrics/bootstrap.js';
import { binsOf, reliabilityOf } from '../../../src/statistics/metrics/calibration.js';
import { type Answer, confidenceOf, type QuestionType } from './answers.js';
import { NEAR } from './bounds.js';

/** Right answers of a part of an evaluation set. */
export interface Share {
  readonly questions: number;
  readonly right: number;
  /** The share of the more frequent answer of yes-or-no questions; one of the options otherwise. */
  readonly guessing: number;
}

/** A whole set, or a group of it. */
export interface SetFigures extends Share {
  /** The mean of the confidences, see `confidenceOf`. */
  readonly confidence: number;
  /** The share of the answers that are wrong with a confidence above `NEAR.sure`. */
  readonly sureAndWrong: number;
  /** The expected calibration error, over ten bins of equal mass. */
  readonly ece: number;
}

/** What was measured of a build: `figures.json`, from which the tables of the card are written. */
export interface Figures {
  readonly build: string;
  readonly sets: Readonly<Record<SetName, SetFigures>>;
  /** By `<family> <type>`. */
  readonly families: Readonly<Record<string, { readonly held?: Share; readonly handwritten?: Share }>>;
  /** The groups of the near set. */
  readonly near: Readonly<Record<string, SetFigures>>;
}

/** The evaluation sets: `held` is generated from the bank, the others are files of `evaluation/`. */
export const SETS = ['held', 'handwritten', 'near', 'outside', 'scale'] as const;
export type SetName = (typeof SETS)[number];

const DIGITS = 4;

/** Everything that the card says of the answers of a build. */
export function figuresOf(build: string, sets: Readonly<Record<SetName, readonly Answer[]>>): Figures {
  const held = by(sets.held, keyOf);
  const handwritten = by(sets.handwritten, keyOf);
  const keys = [...new Set([...held.keys(), ...handwritten.keys()])].sort();
  const share = (answers: readonly Answer[] | undefined) => (answers ? shareOf(answers) : undefined);
  return {
    build,
    sets: Object.fromEntries(SETS.map((name) => [name, setOf(sets[name])])) as Figures['sets'],
    families: Object.fromEntries(
      keys.map((key) => [
        key,
        withoutUndefined({ held: share(held.get(key)), handwritten: share(handwritten.get(key)) }),
      ]),
    ),
    near: Object.fromEntries(
      [...by(sets.near, ({ family }) => family)].map(([group, answers]) => [group, setOf(answers)]),
    ),
  };
}

/** The lower end of the 95 % interval of the accuracy (Wilson). */
export const lowerEnd = ({ right, questions }: Share): number => wilson(right, questions)[0];

const keyOf = ({ family, type }: Answer) => `${family} ${type}`;

function shareOf(answers: readonly Answer[]): Share {
  return {
    questions: answers.length,
    right: answers.filter(({ isRight }) => isRight).length,
    guessing: rounded(guessingOf(answers)),
  };
}

function guessingOf(answers: readonly Answer[]): number {
  const isYesNo = ({ type }: { type: QuestionType }) => type === 'noul';
  if (!answers.every(isYesNo)) return mean(answers.map(({ options }) => 1 / options));
  const yes = answers.filter(({ expected }) => expected === 'true').length / answers.length;
  return Math.max(yes, 1 - yes);
}

function setOf(answers: readonly Answer[]): SetFigures {
  const isSureAndWrong = (answer: Answer) => !answer.isRight && confidenceOf(answer) > NEAR.sure;
  return {
    ...shareOf(answers),
    confidence: rounded(mean(answers.map(confidenceOf))),
    sureAndWrong: rounded(answers.filter(isSureAndWrong).length / answers.length),
    ece: rounded(eceOf(answers)),
  };
}

function eceOf(answers: readonly Answer[]): number {
  const judged = answers.map(({ probability, isRight }) => ({ confidence: probability, correct: isRight }));
  judged.sort((a, b) => a.confidence - b.confidence);
  const bins = reliabilityOf(judged, binsOf(judged));
  const gap = (bin: (typeof bins)[number]) => Math.abs(bin.accuracy - bin.confidence) * bin.n;
  return bins.reduce((total, bin) => total + gap(bin), 0) / answers.length;
}

function by(answers: readonly Answer[], key: (answer: Answer) => string): Map<string, Answer[]> {
  const found = new Map<string, Answer[]>();
  for (const answer of answers) {
    const group = found.get(key(answer));
    if (group) group.push(answer);
    else found.set(key(answer), [answer]);
  }
  return found;
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const rounded = (value: number) => Number(value.toFixed(DIGITS));
const withoutUndefined = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
