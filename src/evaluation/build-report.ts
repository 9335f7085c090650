import { type Amount, showAmount } from '../access/index.js';
import { OPTION_KINDS, QUESTION_TYPES } from '../api/index.js';
import {
  applyThreshold,
  type BootstrapOptions,
  isCorrect,
  judge,
  qualityOf,
  thresholdOf,
} from '../statistics/index.js';
import type { AnsweredQuestion, Split } from './answered.js';
import type { Cases } from './cases/read-cases.js';
import { type Collected, collect } from './collect.js';
import { averagingOf } from './metrics/averaging.js';
import { formatBiasOf, modeDifferenceOf, orderBiasOf } from './metrics/biases.js';
import { confusionOf } from './metrics/confusion.js';
import type { Outcomes } from './outcomes.js';
import type { EvaluationReport, Quality, QuestionQuality, TargetDescription } from './report.js';

/** Where the prices of the report come from. */
export interface Prices {
  /** The price of an input token of a build; null if there is none. */
  of(model: string): Amount | null;
  readonly currency: string;
}

interface ReportInput extends BootstrapOptions {
  readonly cases: Cases;
  readonly outcomes: Outcomes;
  readonly target: TargetDescription;
  readonly prices: Prices;
}

/** Groups and questions that a report lists. */
const GROUPS_MAX = 50;
const QUESTIONS_MAX = 50;

/** A report, and the answers that it is about; the report is null if no question has an answer. */
export function buildReport(input: ReportInput): {
  readonly report: EvaluationReport | null;
  readonly answered: readonly AnsweredQuestion[];
  readonly failures: EvaluationReport['failures'];
} {
  const collected = collect(input.cases.cases, input.outcomes);
  const { answered, failures } = collected;
  return { report: answered.length === 0 ? null : reportOf(input, collected), answered, failures };
}

function reportOf(input: ReportInput, collected: Collected): EvaluationReport {
  const { cases, target, seed, resamples } = input;
  const { answered, failures, tokens } = collected;
  const options = { seed, resamples };
  const by = <Key extends string>(keys: readonly Key[], keyOf: (question: AnsweredQuestion) => Key | null) =>
    qualityBy(answered, keys, keyOf, options);
  const counts = [...new Set(answered.map((question) => question.options.length))].sort((a, b) => a - b);
  const groups = largestGroups(answered);
  const questions = byName(answered);
  return {
    format: 'decider evaluation 1',
    cases: { file: cases.file, sha256: cases.sha256, count: cases.cases.length },
    target,
    models: [...tokens.keys()].sort(),
    seed,
    resamples,
    answered: collected.cases,
    failures,
    bias_failures: collected.biasFailures,
    repeated: collected.repeated,
    committed: answered.filter(({ committed }) => committed).length,
    overall: qualityOf(answered, options),
    by_type: by(QUESTION_TYPES, ({ type }) => type),
    by_option_count: by(counts.map(String), (question) => String(question.options.length)),
    by_group: by(groups.slice(0, GROUPS_MAX), ({ group }) => group),
    groups: groups.length,
    by_split: by<Split>(['development', 'held_out'], ({ split }) => split),
    by_question: questions.slice(0, QUESTIONS_MAX).map((own) => questionOf(own, options)),
    questions: questions.length,
    wrong: answered.filter((question) => !isCorrect(question)).length,
    threshold: transferred(answered),
    order_bias: orderBiasOf(collected.rotated, options),
    format_bias: formatBiasOf(collected.forms, options),
    mode_difference: modeDifferenceOf(collected.modes, options),
    option_averaging: averagingOf(collected.averaged, options),
    tokens: {
      input: [...tokens.values()].reduce((total, { input: count }) => total + count, 0),
      output: [...tokens.values()].reduce((total, { output }) => total + output, 0),
    },
    cost: costOf(collected, input.prices),
  };
}

/** By key, without those that no question has. */
function qualityBy<Key extends string>(
  answered: readonly AnsweredQuestion[],
  keys: readonly Key[],
  keyOf: (question: AnsweredQuestion) => Key | null,
  options: BootstrapOptions,
): Readonly<Record<Key, Quality>> {
  const parts = new Map<Key | null, AnsweredQuestion[]>(keys.map((key) => [key, []]));
  for (const question of answered) parts.get(keyOf(question))?.push(question);
  const present = keys.filter((key) => (parts.get(key) as AnsweredQuestion[]).length > 0);
  return Object.fromEntries(
    present.map((key) => [key, qualityOf(parts.get(key) as AnsweredQuestion[], options)]),
  ) as Record<Key, Quality>;
}

/** The names of the groups, that with most questions first. */
function largestGroups(answered: readonly AnsweredQuestion[]): string[] {
  const sizes = new Map<string, number>();
  for (const { group } of answered) if (group !== null) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  return [...sizes].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([name]) => name);
}

/** The answers by name and type of the question, those that were asked most often first. */
function byName(answered: readonly AnsweredQuestion[]): AnsweredQuestion[][] {
  const found = new Map<string, AnsweredQuestion[]>();
  for (const question of answered) {
    const key = `${question.type} ${question.question}`;
    const own = found.get(key);
    if (own === undefined) found.set(key, [question]);
    else own.push(question);
  }
  return [...found.values()].sort((a, b) => b.length - a.length);
}

function questionOf(own: readonly AnsweredQuestion[], options: BootstrapOptions): QuestionQuality {
  const [{ question, type }] = own as [AnsweredQuestion];
  return {
    question,
    type,
    quality: qualityOf(own, options),
    confusion: OPTION_KINDS[type] === 'sides' ? null : confusionOf(own),
  };
}

function transferred(answered: readonly AnsweredQuestion[]): EvaluationReport['threshold'] {
  const [development, held] = (['development', 'held_out'] as const).map((split) =>
    answered.filter((question) => question.split === split).map(judge),
  );
  if (!development?.length || !held?.length) return null;
  const point = thresholdOf(development);
  return point === null ? null : { development: point, held_out: applyThreshold(held, point.threshold) };
}

/** Exact at 10⁻¹² of the currency. Null if a model that answered has no price. */
function costOf({ tokens }: Collected, prices: Prices): EvaluationReport['cost'] {
  let amount = 0n;
  for (const [model, { input }] of tokens) {
    const price = prices.of(model);
    if (price === null) return null;
    amount += price * BigInt(input);
  }
  return { amount: showAmount(amount), currency: prices.currency };
}
