import type { QuestionType } from '../api/index.js';
import type {
  Estimate,
  Interval,
  LossChange,
  OperatingPoint,
  Quality,
  ResampledUnit,
} from '../statistics/index.js';
import type { Split } from './answered.js';

export type {
  Estimate,
  Interval,
  OperatingPoint,
  Quality,
  ReliabilityBin,
  ResampledUnit,
} from '../statistics/index.js';

/** Choice questions asked again with their options rotated. */
export interface OrderBias {
  /** Questions with at least one rotation, and rotations in all. */
  readonly questions: number;
  readonly rotations: number;
  /** The share of rotations whose chosen label differs from that of the order sent. */
  readonly changed: Estimate;
  /** Mean total variation distance ½ Σ|pᵢ − qᵢ| between the probabilities, by label. */
  readonly shift: Estimate;
  /**
   * Mean over questions that were asked in every rotation of the probability at each position minus 1/n; null if there
   * are none. An unbiased model gives 0. `last` is the last position.
   */
  readonly first: Estimate | null;
  readonly last: Estimate | null;
}

/** Choice questions that were also asked in several orders of their options, with their probabilities averaged. */
export interface OptionAveraging {
  /** Orders per question; one with fewer options was asked in as many orders as it has options. */
  readonly rotations: number;
  /** A: as sent; B: averaged. */
  readonly comparison: Comparison;
  /** Input tokens of the cases, both ways. */
  readonly tokens: { readonly sent: number; readonly averaged: number };
}

export const STATE_FORMS = ['text', 'flat', 'nested'] as const;
/** How a state was sent: as lines of text, as an object of strings, as nested objects. */
export type StateForm = (typeof STATE_FORMS)[number];

/** Cases asked with the same state in three forms. */
export interface FormatBias {
  /** Questions answered in all three forms. */
  readonly questions: number;
  readonly accuracy: Readonly<Record<StateForm, Estimate>>;
  readonly log_loss: Readonly<Record<StateForm, Estimate>>;
  /** The share of questions whose answer is not the same in all three forms. */
  readonly changed: Estimate;
  /** Mean over the three pairs of forms of the total variation distance. */
  readonly shift: Estimate;
}

/** The same questions answered in exact mode and in normal mode. */
export interface ModeDifference {
  readonly questions: number;
  /** The share of questions whose answer differs. */
  readonly changed: Estimate;
  /** |p − q| over all options of all questions. */
  readonly largest: number;
  readonly mean: number;
}

/** What the cases were sent to. */
export type TargetDescription =
  | {
      readonly kind: 'engine';
      readonly backend: string;
      readonly exact: boolean;
    }
  | {
      readonly kind: 'server';
      readonly url: string;
      readonly concurrency: number;
    }
  /** A batch results file. */
  | {
      readonly kind: 'results';
      readonly file: string;
    };

/** Cases without an answer, by type of error. */
export interface Failures {
  /** The `type` of an error response, or `no_answer`, `bad_answer`, `network`, `unreachable`. */
  readonly type: string;
  readonly cases: number;
  /** The message of the first one. */
  readonly example: string;
}

/** A part of the questions: a type, a group, a number of options, a split. */
type QualityBy<Key extends string> = Readonly<Partial<Record<Key, Quality>>>;

/** The answers to the questions of one name and type. */
export interface QuestionQuality {
  readonly question: string;
  readonly type: QuestionType;
  readonly quality: Quality;
  /** Null for `noul`. */
  readonly confusion: Confusion | null;
}

/** Which options were answered for which. */
export interface Confusion {
  /** In the order of the questions; those that are correct or answered most often, at most 12. */
  readonly options: readonly string[];
  /** Options that are not among them: together they are the last row and column. */
  readonly others: number;
  /** `counts[i][j]`: questions whose correct option is i and whose answer is j. */
  readonly counts: ReadonlyArray<readonly number[]>;
}

/** What `decider eval --json` writes. */
export interface EvaluationReport {
  readonly format: 'decider evaluation 1';
  /** The name of the cases file, and the SHA-256 of its bytes. */
  readonly cases: { readonly file: string; readonly sha256: string; readonly count: number };
  readonly target: TargetDescription;
  /** The builds that answered. */
  readonly models: readonly string[];
  readonly seed: number;
  /** Bootstrap resamples. */
  readonly resamples: number;
  /** Cases with an answer. */
  readonly answered: number;
  /** Most frequent first. */
  readonly failures: readonly Failures[];
  /** Failures of the further requests for biases: `cases` counts requests. */
  readonly bias_failures: readonly Failures[];
  /** Requests that were refused with 429 or 503 and sent again after `Retry-After`. */
  readonly repeated: number;
  /** Noul questions for which only the committed probability was available. */
  readonly committed: number;
  readonly overall: Quality;
  readonly by_type: QualityBy<QuestionType>;
  /** By number of options, such as `4`. */
  readonly by_option_count: Readonly<Record<string, Quality>>;
  /** The largest groups, at most 50, in no particular order; empty if no case names one. */
  readonly by_group: Readonly<Record<string, Quality>>;
  readonly groups: number;
  readonly by_split: QualityBy<Split>;
  /** Those that were asked most often first, at most 50. */
  readonly by_question: readonly QuestionQuality[];
  /** Different questions, by name and type. */
  readonly questions: number;
  /** Answers that are wrong. */
  readonly wrong: number;
  /** The threshold for 5 % error on the development split, applied to the held-out one; null without both. */
  readonly threshold: {
    readonly development: OperatingPoint;
    readonly held_out: OperatingPoint;
  } | null;
  /** Null if not asked for. */
  readonly order_bias: OrderBias | null;
  readonly format_bias: FormatBias | null;
  readonly mode_difference: ModeDifference | null;
  /** By number of orders. */
  readonly option_averaging: readonly OptionAveraging[] | null;
  /** Tokens of the cases as sent, without the extra requests for biases. */
  readonly tokens: { readonly input: number; readonly output: number };
  /** A decimal at the prices of the configuration; null if they do not name the model. */
  readonly cost: { readonly amount: string; readonly currency: string } | null;
  /** With `--fit` only. */
  readonly fit?: FitReport;
}

/** What `--fit` found for a question type. Log losses are in nats per question. */
export interface TypeFit {
  readonly type: QuestionType;
  /** Questions of the development split with at least two options. */
  readonly questions: number;
  readonly wrong: number;
  readonly groups: number;
  /** Why nothing was fitted; null if something was. */
  readonly refused: string | null;
  readonly cross_validated: LossChange | null;
  /** By `<type>` and `<type>.<bucket>`, as in the manifest; fitted on all folds. */
  readonly temperatures: Readonly<Record<string, number>>;
}

/** What `--fit` found. */
export interface FitReport {
  readonly build: string;
  /** Why the answers or the manifest cannot be used; null if they can. */
  readonly refused: string | null;
  readonly folds: number;
  readonly types: readonly TypeFit[];
  /** Loss of the types that improve, on the held-out split; null without any such question. */
  readonly held_out: { readonly questions: number; readonly before: number; readonly after: number } | null;
}

/** A metric of two runs over the same questions. */
export interface Difference {
  readonly a: number;
  readonly b: number;
  /** b − a, with the 95 % interval of paired answers. */
  readonly difference: number;
  /** Null for the ECE: docs/evaluation.md says why. */
  readonly ci: Interval | null;
}

export interface Comparison {
  /** Questions that both runs answered. */
  readonly n: number;
  readonly resampled: ResampledUnit;
  readonly accuracy: Difference;
  readonly brier: Difference;
  readonly log_loss: Difference;
  readonly ece: Difference;
  /** The share of questions whose most probable option differs. */
  readonly changed: number;
  /** |p − q| over all options of all questions. */
  readonly largest: number;
  readonly mean: number;
}

interface ComparedRun {
  readonly target: TargetDescription;
  readonly models: readonly string[];
  readonly questions: number;
}

/** What `decider eval --compare A B --json` writes. */
export interface ComparisonReport {
  readonly format: 'decider comparison 1';
  readonly cases: EvaluationReport['cases'];
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  readonly seed: number;
  readonly resamples: number;
  /** Noul questions for which a run has only the committed probability; that of the other run is committed as well. */
  readonly committed: number;
  readonly overall: Comparison;
  readonly by_type: Readonly<Partial<Record<QuestionType, Comparison>>>;
}
