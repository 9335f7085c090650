import { isArrayOf, isCount, isNumber, isObjectOf, isOneOf, isString, type Shape } from '../../base/index.js';
import {
  type AnswerCode,
  chosen,
  DriftMonitor,
  type DriftReport,
  type DriftState,
  type ErrorTest,
  errorTest,
  errorTestFrom,
  isAccepted,
  withLabel,
} from '../../statistics/index.js';
import type { TaskAnswer } from '../task-answer.js';
import type { TaskFit } from '../task-types.js';

/** What names a fit of a task to a build. */
type FitName = Pick<TaskFit, 'version' | 'at'>;

/** What is known of the answers to one question since the fit. */
interface QuestionMonitor {
  readonly name: string;
  /** Null: the question had too few labels. */
  readonly drift: DriftMonitor | null;
  /** The test of the promise; null: the question has no threshold. */
  errors: ErrorTest | null;
}

export interface QuestionReport {
  readonly name: string;
  readonly drift: DriftReport | null;
  readonly errors: ErrorTest | null;
}

/** An answer, of which some questions have their first label. */
export interface FirstLabels extends Pick<TaskAnswer, 'calibration'> {
  readonly build: string;
  readonly probabilities: TaskAnswer['probabilities'];
  /** The correct options, by the name of the question. */
  readonly expected: Readonly<Record<string, number>>;
}

const FORMAT = 'monitor 1';
const isAnything: Shape<unknown> = (_): _ is unknown => true;
const isStored = isObjectOf({
  format: isOneOf(FORMAT),
  version: isCount,
  at: isNumber,
  questions: isArrayOf(isObjectOf({ name: isString, drift: isAnything, errors: isAnything })),
});

/**
 * What the answers of a build say since its fit: whether they have changed, and whether the fit keeps its promise. There is
 * one for a task and a build, also on a cluster: each node adds its answers to what is stored. Their order does not matter
 * for the bound of false alarms, and an answer that is not added neither, unless it is left out because of what it is.
 * Every fit makes a new one.
 */
export class TaskMonitor {
  private constructor(
    private readonly fit: FitName,
    private readonly questions: readonly QuestionMonitor[],
  ) {}

  /**
   * A monitor without answers.
   *
   * @param names the questions of the version, in their order
   * @param references per question, its labelled answers; null: they were too few for a fit
   */
  static of(
    { version, at, acceptances, targetError: error, confidence }: TaskFit,
    names: readonly string[],
    references: ReadonlyArray<DriftState | null>,
  ): TaskMonitor {
    const questions = names.map((name, index) => ({
      name,
      drift: DriftMonitor.from(references[index]),
      errors: (acceptances[index]?.threshold ?? null) === null ? null : errorTest({ error, confidence }),
    }));
    return new TaskMonitor({ version, at }, questions);
  }

  /** The monitor of a JSON value; null if it is not one that this version writes. */
  static from(stored: unknown): TaskMonitor | null {
    if (!isStored(stored)) return null;
    const { version, at } = stored;
    const questions: QuestionMonitor[] = [];
    for (const { name, drift, errors } of stored.questions) {
      const read = { name, drift: DriftMonitor.from(drift), errors: errorTestFrom(errors) };
      if ((read.drift === null) !== (drift === null) || (read.errors === null) !== (errors === null))
        return null;
      questions.push(read);
    }
    return new TaskMonitor({ version, at }, questions);
  }

  toJSON() {
    const { version, at } = this.fit;
    const questions = this.questions.map(({ name, drift, errors }) => ({
      name,
      drift: drift?.state() ?? null,
      errors,
    }));
    return { format: FORMAT, version, at, questions };
  }

  /**
   * Adds answers that were given while a fit was in force.
   *
   * @param codes per question of the version, those of its answers; see `answerCode`
   * @returns false if it belongs to another fit
   * @throws Error if a chosen option is not one of its question
   */
  addAnswers(fit: FitName, codes: ReadonlyArray<readonly AnswerCode[]>): boolean {
    if (!this.isOf(fit)) return false;
    for (const [index, { drift }] of this.questions.entries()) {
      for (const code of codes[index] ?? []) drift?.add(code);
    }
    return true;
  }

  /**
   * Adds labels of answers to the test of the promise: those that the fit accepts. A label that the fit has used must not be
   * added, and a corrected one not again.
   *
   * @returns false if it belongs to another fit
   */
  addLabels(fit: TaskFit, labels: readonly FirstLabels[]): boolean {
    if (!this.isOf(fit)) return false;
    for (const { probabilities, expected } of labels) {
      for (const [index, question] of this.questions.entries()) {
        const acceptance = fit.acceptances[index] ?? null;
        const own = probabilities[index] ?? [];
        const option = Object.hasOwn(expected, question.name) ? expected[question.name] : undefined;
        if (question.errors === null || acceptance === null || option === undefined || own.length === 0)
          continue;
        if (isAccepted(acceptance, own) === true)
          question.errors = withLabel(question.errors, chosen(own) !== option);
      }
    }
    return true;
  }

  /** Per question, in their order; null if it belongs to another fit. */
  reportOf(fit: FitName): QuestionReport[] | null {
    return this.isOf(fit) ? this.report() : null;
  }

  report(): QuestionReport[] {
    return this.questions.map(({ name, drift, errors }) => ({
      name,
      drift: drift?.report() ?? null,
      errors,
    }));
  }

  /** Which alarms are raised, about any question. */
  alarms(): { readonly drift: boolean; readonly error: boolean } {
    return {
      drift: this.questions.some(({ drift }) => drift?.isDrifting === true),
      error: this.questions.some(({ errors }) => (errors?.alarm ?? null) !== null),
    };
  }

  /** Whether it belongs to a fit. */
  isOf({ version, at }: FitName): boolean {
    return this.fit.version === version && this.fit.at === at;
  }
}
