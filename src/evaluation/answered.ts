import type { QuestionType } from '../api/index.js';
import type { Measured } from '../statistics/index.js';

/** The part of the cases that a group belongs to. */
export type Split = 'development' | 'held_out';

/** One answered question of one case: what metrics and temperatures are computed from. */
export interface AnsweredQuestion extends Measured {
  /** The name of the question in the request. */
  readonly question: string;
  readonly type: QuestionType;
  readonly split: Split | null;
  /** The build that answered. */
  readonly model: string;
  /** The option keys in the order of the question: `true`, `false`; the labels; or the level numbers from `0`. */
  readonly options: readonly string[];
  /**
   * One per option, in their order: rounded to four decimals as the server emits them, but not committed. All metrics
   * use them, so that they are the same for every target.
   */
  readonly probabilities: readonly number[];
  /** True if the target had only the committed `noul`, which is at most 0.20 or at least 0.80. */
  readonly committed: boolean;
  /** The same without rounding: softmax(logits / temperature). Null if the target does not send them. */
  readonly raw: readonly number[] | null;
  /** The temperature that `raw` was computed with. Null if the target does not tell. */
  readonly temperature: number | null;
}
