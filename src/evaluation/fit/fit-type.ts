import type { QuestionType } from '../../api/index.js';
import { TEMPERATURE_BUCKETS } from '../../engine/index.js';
import {
  type BootstrapOptions,
  crossValidate,
  foldsOf,
  groupKey,
  isCorrect,
  lossAt,
  lossChangeOf,
  type Sample,
  sampleOf,
  TEMPERATURE_MAX,
  TEMPERATURE_MIN,
} from '../../statistics/index.js';
import type { AnsweredQuestion } from '../answered.js';
import type { TypeFit } from '../report.js';

/** The fewest questions with which a type, or a range of option counts, gets a temperature of its own. */
export const QUESTIONS_MIN = 300;
export const WRONG_MIN = 20;
/** Cases without a group count as one each. */
export const GROUPS_MIN = 20;

/** The ranges of option counts that are fitted. */
const RANGES = ['2', '3_5', '6_10', '11'] as const;

/** The temperature in force for a question. */
export type InForce = (question: AnsweredQuestion) => number;

/** A question of the type that is being fitted. */
interface Item extends Sample {
  readonly cluster: number;
  readonly options: number;
  readonly wrong: boolean;
  /** With the temperature in force. */
  readonly lossInForce: number;
}

/**
 * Fits the temperature of a question type, and of its ranges of option counts where that helps. "Helps" is judged on
 * folds that were not used for fitting: the 95 % interval of the change in log loss lies below 0.
 *
 * @param questions of one type, with unrounded probabilities and a known temperature
 * @param inForce the temperature in force for a question
 */
export function fitType(
  type: QuestionType,
  questions: readonly AnsweredQuestion[],
  options: BootstrapOptions,
  inForce: InForce,
): TypeFit {
  // The probability of a single option is 1 at every temperature.
  const items = itemsOf(
    questions.filter((question) => question.options.length > 1),
    inForce,
  );
  const base = { type, ...countsOf(items) };
  const shortage = shortageOf(items);
  if (shortage !== null) return { ...base, refused: shortage, cross_validated: null, temperatures: {} };
  const folds = foldsOf(clustersOf(items), options.seed);
  const whole = crossValidate(items, folds);
  if (whole.atBound) return { ...base, refused: AT_BOUND, cross_validated: null, temperatures: {} };
  const losses = [...whole.losses];
  const temperatures: Record<string, number> = { [type]: whole.temperature };
  for (const range of RANGES) {
    const [from, to] = TEMPERATURE_BUCKETS.get(range) as readonly [number, number];
    const inside = items.flatMap((item, index) =>
      item.options >= from && item.options <= to ? [index] : [],
    );
    const part = inside.map((index) => items[index] as Item);
    if (part.length === items.length || shortageOf(part) !== null) continue;
    const own = crossValidate(
      part,
      Int32Array.from(inside, (index) => folds[index] as number),
    );
    const shared = inside.map((index) => whole.losses[index] as number);
    if (own.atBound || !lossChangeOf(clustersOf(part), shared, own.losses, options).improves) continue;
    temperatures[`${type}.${range}`] = own.temperature;
    for (const [at, index] of inside.entries()) losses[index] = own.losses[at] as number;
  }
  const before = items.map(({ lossInForce }) => lossInForce);
  const change = lossChangeOf(clustersOf(items), before, losses, options);
  return { ...base, refused: null, cross_validated: change, temperatures };
}

const clustersOf = (items: readonly Item[]) => items.map(({ cluster }) => cluster);

const AT_BOUND = `the best temperature is outside ${TEMPERATURE_MIN} to ${TEMPERATURE_MAX}: the answers are unrelated to the questions, or the expected answers are wrong`;

function itemsOf(questions: readonly AnsweredQuestion[], inForce: InForce): Item[] {
  const clusters = new Map<string, number>();
  return questions.map((question) => {
    const key = groupKey(question);
    const cluster = clusters.get(key) ?? clusters.size;
    clusters.set(key, cluster);
    const sample = sampleOf(question.raw as number[], question.temperature as number, question.expected);
    return {
      ...sample,
      lossInForce: lossAt(sample, inForce(question)),
      cluster,
      options: question.options.length,
      wrong: !isCorrect(question),
    };
  });
}

const countsOf = (items: readonly Item[]) => ({
  questions: items.length,
  wrong: items.filter(({ wrong }) => wrong).length,
  groups: new Set(items.map(({ cluster }) => cluster)).size,
});

/** What is missing for a fit, with the numbers; null if nothing is. */
function shortageOf(items: readonly Item[]): string | null {
  const { questions, wrong, groups } = countsOf(items);
  const missing = [
    ...(questions < QUESTIONS_MIN ? [`${questions} questions, at least ${QUESTIONS_MIN} are needed`] : []),
    ...(wrong < WRONG_MIN ? [`${wrong} wrong answers, at least ${WRONG_MIN} are needed`] : []),
    ...(groups < GROUPS_MIN
      ? [`${groups} groups, at least ${GROUPS_MIN} are needed (a case without a group counts as one)`]
      : []),
  ];
  return missing.length === 0 ? null : missing.join('; ');
}
