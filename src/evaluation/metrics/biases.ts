import {
  type BootstrapOptions,
  type Clustered,
  chosen,
  clustersOf,
  distanceOf,
  estimateDifference,
  estimateMean,
  estimateShare,
  isCorrect,
  logLossOf,
} from '../../statistics/index.js';
import type { AnsweredQuestion } from '../answered.js';
import type { Estimate, FormatBias, ModeDifference, OrderBias, StateForm } from '../report.js';
import { STATE_FORMS } from '../report.js';
import { ROTATIONS_MAX } from '../variants.js';

/** A question, and its answers after its options were rotated `by` places. */
export interface RotatedAnswers {
  readonly sent: AnsweredQuestion;
  /** Probabilities in the order of the options as sent. */
  readonly rotations: ReadonlyArray<{ readonly by: number; readonly probabilities: readonly number[] }>;
}

/** The order bias of choice questions. Null if none was asked with rotated options. */
export function orderBiasOf(asked: readonly RotatedAnswers[], options: BootstrapOptions): OrderBias | null {
  const rotated = asked.filter(({ rotations }) => rotations.length > 0);
  const { of: clusters } = clustersOf(rotated.map(({ sent }) => sent));
  const perRotation = (value: (sent: readonly number[], other: readonly number[]) => number): Clustered[] =>
    rotated.flatMap(({ sent, rotations }, at) =>
      rotations.map(({ probabilities }) => ({
        value: value(sent.probabilities, probabilities),
        cluster: clusters[at] as number,
      })),
    );
  const atPosition = (position: (n: number) => number): Clustered[] =>
    rotated.flatMap((question, at) => {
      const excess = excessAt(question, position(question.sent.options.length));
      return excess === null ? [] : [{ value: excess, cluster: clusters[at] as number }];
    });
  const changed = estimateShare(perRotation(isChanged), options);
  const shift = estimateMean(perRotation(distanceOf), options);
  if (changed === null || shift === null) return null;
  return {
    questions: rotated.length,
    rotations: rotated.reduce((total, { rotations }) => total + rotations.length, 0),
    changed,
    shift,
    first: estimateDifference(
      atPosition(() => 0),
      1,
      options,
    ),
    last: estimateDifference(
      atPosition((n) => n - 1),
      1,
      options,
    ),
  };
}

/**
 * The mean probability at a position over all rotations, minus 1/n. Every option is at the position once, so that the
 * mean is 1/n without a bias. Null unless the question was answered in every rotation.
 */
function excessAt({ sent, rotations }: RotatedAnswers, position: number): number | null {
  const n = sent.options.length;
  if (n > ROTATIONS_MAX || rotations.length < n - 1) return null;
  const all = [{ by: 0, probabilities: sent.probabilities }, ...rotations];
  // After a rotation by r, position k shows option (k + r) mod n.
  const total = all.reduce(
    (sum, { by, probabilities }) => sum + (probabilities[(position + by) % n] as number),
    0,
  );
  return total / n - 1 / n;
}

const isChanged = (p: readonly number[], q: readonly number[]): number => Number(chosen(p) !== chosen(q));

/** The answers to one question with its state in the three forms. */
export type FormAnswers = Readonly<Record<StateForm, AnsweredQuestion>>;

/** The format bias. Null if no question was answered in all forms. */
export function formatBiasOf(asked: readonly FormAnswers[], options: BootstrapOptions): FormatBias | null {
  if (asked.length === 0) return null;
  const { of: clusters } = clustersOf(asked.map(({ text }) => text));
  const estimated =
    (estimate: typeof estimateMean) =>
    (value: (answers: FormAnswers) => number): Estimate =>
      estimate(
        asked.map((answers, at) => ({ value: value(answers), cluster: clusters[at] as number })),
        options,
      ) as Estimate;
  const [mean, share] = [estimated(estimateMean), estimated(estimateShare)];
  const byForm = (estimate: typeof mean, value: (answer: AnsweredQuestion) => number) =>
    Object.fromEntries(
      STATE_FORMS.map((form) => [form, estimate((answers) => value(answers[form]))]),
    ) as Record<StateForm, Estimate>;
  return {
    questions: asked.length,
    accuracy: byForm(share, (answer) => Number(isCorrect(answer))),
    log_loss: byForm(mean, logLossOf),
    changed: share((answers) => {
      const answersChosen = STATE_FORMS.map((form) => chosen(answers[form].probabilities));
      return Number(new Set(answersChosen).size > 1);
    }),
    shift: mean(
      ({ text, flat, nested }) =>
        (distanceOf(text.probabilities, flat.probabilities) +
          distanceOf(text.probabilities, nested.probabilities) +
          distanceOf(flat.probabilities, nested.probabilities)) /
        3,
    ),
  };
}

/** How the answers of one mode differ from those of the other. Null if there are no pairs. */
export function modeDifferenceOf(
  pairs: ReadonlyArray<readonly [AnsweredQuestion, AnsweredQuestion]>,
  options: BootstrapOptions,
): ModeDifference | null {
  if (pairs.length === 0) return null;
  const { of: clusters } = clustersOf(pairs.map(([first]) => first));
  const changes = pairs.map(([a, b], at) => ({
    value: isChanged(a.probabilities, b.probabilities),
    cluster: clusters[at] as number,
  }));
  const differences = pairs.flatMap(([a, b]) => {
    const [p, q] = [a.raw ?? a.probabilities, b.raw ?? b.probabilities];
    return p.map((each, index) => Math.abs(each - (q[index] as number)));
  });
  return {
    questions: pairs.length,
    changed: estimateShare(changes, options) as Estimate,
    largest: differences.reduce((most, each) => Math.max(most, each), 0),
    mean: differences.reduce((total, each) => total + each, 0) / differences.length,
  };
}
