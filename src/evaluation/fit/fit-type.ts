import type { QuestionType } from '../../api/index.js';
import { random } from '../../base/index.js';
import { TEMPERATURE_BUCKETS } from '../../engine/index.js';
import type { AnsweredQuestion } from '../answered.js';
import { type BootstrapOptions, estimateMean, groupKey } from '../metrics/bootstrap.js';
import { isCorrect } from '../metrics/score.js';
import type { Estimate, TypeFit } from '../report.js';
import {
  fitTemperature,
  lossAt,
  type Sample,
  sampleOf,
  TEMPERATURE_MAX,
  TEMPERATURE_MIN,
} from './temperature.js';

/** The fewest questions with which a type, or a range of option counts, gets a temperature of its own. */
export const QUESTIONS_MIN = 300;
export const WRONG_MIN = 20;
/** Cases without a group count as one each. */
export const GROUPS_MIN = 20;

/** The ranges of option counts that are fitted. */
const RANGES = ['2', '3_5', '6_10', '11'] as const;

/** A question of the type that is being fitted. */
interface Item extends Sample {
  readonly cluster: number;
  readonly options: number;
  readonly wrong: boolean;
}

/**
 * Fits the temperature of a question type, and of its ranges of option counts where that helps. "Helps" is judged on
 * folds that were not used for fitting: the 95 % interval of the change in log loss lies below 0.
 *
 * @param questions of one type, with unrounded probabilities and a known temperature
 */
export function fitType(
  type: QuestionType,
  questions: readonly AnsweredQuestion[],
  options: BootstrapOptions,
): TypeFit {
  // The probability of a single option is 1 at every temperature.
  const items = itemsOf(questions.filter((question) => question.options.length > 1));
  const base = { type, ...countsOf(items) };
  const shortage = shortageOf(items);
  if (shortage !== null) return { ...base, refused: shortage, cross_validated: null, temperatures: {} };
  const folds = foldsOf(
    items.map(({ cluster }) => cluster),
    options.seed,
  );
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
    if (own.atBound || !lower(changeOf(part, shared, own.losses, options))) continue;
    temperatures[`${type}.${range}`] = own.temperature;
    for (const [at, index] of inside.entries()) losses[index] = own.losses[at] as number;
  }
  const before = items.map(({ loss }) => loss);
  const change = changeOf(items, before, losses, options);
  return {
    ...base,
    refused: null,
    cross_validated: { before: mean(before), after: mean(losses), change, improves: lower(change) },
    temperatures,
  };
}

const AT_BOUND = `the best temperature is outside ${TEMPERATURE_MIN} to ${TEMPERATURE_MAX}: the answers are unrelated to the questions, or the expected answers are wrong`;

function itemsOf(questions: readonly AnsweredQuestion[]): Item[] {
  const clusters = new Map<string, number>();
  return questions.map((question) => {
    const key = groupKey(question);
    const cluster = clusters.get(key) ?? clusters.size;
    clusters.set(key, cluster);
    return {
      ...sampleOf(question.raw as number[], question.temperature as number, question.expected),
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

/** The loss of each item at the temperature that the other folds give, and the temperature of all of them. */
function crossValidate(items: readonly Item[], folds: Int32Array) {
  const losses = new Array<number>(items.length);
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const temperature = fitTemperature(items.filter((_, index) => folds[index] !== fold));
    for (const [index, item] of items.entries()) {
      if (folds[index] === fold) losses[index] = lossAt(item, temperature);
    }
  }
  const temperature = fitTemperature(items);
  const atBound = temperature <= TEMPERATURE_MIN || temperature >= TEMPERATURE_MAX;
  return { losses, temperature: Number(temperature.toPrecision(4)), atBound };
}

/** The mean change of the loss, resampling clusters. */
function changeOf(
  items: readonly Item[],
  before: readonly number[],
  after: readonly number[],
  options: BootstrapOptions,
): Estimate {
  const values = items.map(({ cluster }, index) => ({
    cluster,
    value: (after[index] as number) - (before[index] as number),
  }));
  return estimateMean(values, options) as Estimate;
}

const lower = ({ ci }: Estimate) => ci[1] < 0;

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

export const FOLDS = 5;

/**
 * The fold of each question, from 0. Questions of a cluster share a fold, and the folds are of about equal size: in random
 * order but the largest first, each cluster joins the smallest fold.
 */
export function foldsOf(clusters: readonly number[], seed: number): Int32Array {
  const sizes = new Map<number, number>();
  for (const cluster of clusters) sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1);
  const next = random(seed);
  const order = [...sizes]
    .map(([cluster, size]) => ({ cluster, size, lot: next.number() }))
    .sort((a, b) => b.size - a.size || a.lot - b.lot);
  const filled = new Array<number>(FOLDS).fill(0);
  const foldOf = new Map<number, number>();
  for (const { cluster, size } of order) {
    const smallest = filled.indexOf(Math.min(...filled));
    foldOf.set(cluster, smallest);
    filled[smallest]! += size;
  }
  return Int32Array.from(clusters, (cluster) => foldOf.get(cluster) as number);
}
