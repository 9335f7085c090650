import { QUESTION_TYPES } from '../api/index.js';
import { commit, UNITS } from '../decide/index.js';
import type { BootstrapOptions } from '../statistics/index.js';
import type { AnsweredQuestion } from './answered.js';
import type { Cases } from './cases/read-cases.js';
import { collect } from './collect.js';
import { comparisonOf, type Pair } from './metrics/comparison.js';
import type { StoredOutcomes } from './outcomes.js';
import type { ComparisonReport, TargetDescription } from './report.js';

/**
 * Compares two runs over the questions that both answered. Both are resampled together, so that what makes a question
 * hard for both does not widen the interval of the difference. Null if there is no such question.
 */
export function compare(
  cases: Cases,
  [a, b]: readonly [StoredOutcomes, StoredOutcomes],
  options: BootstrapOptions,
): ComparisonReport | null {
  const [first, second] = [a, b].map(({ outcomes }) => collect(cases.cases, outcomes).answered) as [
    readonly AnsweredQuestion[],
    readonly AnsweredQuestion[],
  ];
  const key = ({ case: id, question }: AnsweredQuestion) => JSON.stringify([id, question]);
  const others = new Map(second.map((question) => [key(question), question]));
  const pairs = first.flatMap((question): Pair[] => {
    const other = others.get(key(question));
    return other === undefined ? [] : [[asCommitted(question, other), asCommitted(other, question)]];
  });
  if (pairs.length === 0) return null;
  const byType = QUESTION_TYPES.map(
    (type) => [type, pairs.filter(([{ type: own }]) => own === type)] as const,
  );
  return {
    format: 'decider comparison 1',
    cases: { file: cases.file, sha256: cases.sha256, count: cases.cases.length },
    a: sideOf(a.target, first),
    b: sideOf(b.target, second),
    seed: options.seed,
    resamples: options.resamples,
    committed: pairs.filter(([{ committed }]) => committed).length,
    overall: comparisonOf(pairs, options),
    by_type: Object.fromEntries(
      byType.filter(([, own]) => own.length > 0).map(([type, own]) => [type, comparisonOf(own, options)]),
    ),
  };
}

/** A noul question as the other run has it: if that has only the committed probability, this one is committed too. */
function asCommitted(question: AnsweredQuestion, other: AnsweredQuestion): AnsweredQuestion {
  if (question.committed || !other.committed) return question;
  const yes = commit(Math.round((question.probabilities[0] as number) * UNITS));
  return { ...question, probabilities: [yes / UNITS, (UNITS - yes) / UNITS], committed: true };
}

function sideOf(target: TargetDescription, answered: readonly AnsweredQuestion[]) {
  return {
    target,
    models: [...new Set(answered.map(({ model }) => model))].sort(),
    questions: answered.length,
  };
}
