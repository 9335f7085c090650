import { type Clusters, dot } from './bootstrap.js';
import { type Bins, binsOf, eceOf, type Judged } from './calibration.js';
import type { Measured } from './metrics-types.js';
import { brierOf, confidenceOf, isCorrect, logLossOf } from './score.js';

/** The scores of a sample, or of a resample of it. */
export interface Scores {
  readonly accuracy: number;
  readonly brier: number;
  readonly log_loss: number;
  readonly ece: number;
  /** By bin of confidence; see `eceOf`. */
  readonly gaps: Float64Array;
}

export const judge = (question: Measured): Judged => ({
  confidence: confidenceOf(question.probabilities),
  correct: isCorrect(question),
});

/** Answered questions, summed by cluster, so that a resample takes one multiplication per cluster and question. */
export class MeasuredSample {
  readonly scores: Scores;
  /** By confidence, lowest first. */
  readonly sorted: readonly Judged[];
  readonly bins: Bins;
  /** By cluster: the number of questions, and the sums of their scores. */
  readonly sizes: Float64Array;
  readonly sums: Readonly<Record<'accuracy' | 'brier' | 'log_loss', Float64Array>>;
  /** For each element of `sorted`, its cluster, and correct (0 or 1) minus confidence. Plain arrays: 10⁸ reads a report. */
  private readonly clusters: Int32Array;
  private readonly gaps: Float64Array;

  /** At least one question. */
  constructor(questions: readonly Measured[], { of, count }: Clusters) {
    const sums = (value: (question: Measured) => number) => {
      const totals = new Float64Array(count);
      for (const [at, question] of questions.entries()) totals[of[at] as number]! += value(question);
      return totals;
    };
    this.sizes = sums(() => 1);
    this.sums = {
      accuracy: sums((question) => Number(isCorrect(question))),
      brier: sums(brierOf),
      log_loss: sums(logLossOf),
    };
    const order = questions
      .map((question, at) => ({ ...judge(question), cluster: of[at] as number }))
      .sort((a, b) => a.confidence - b.confidence);
    this.sorted = order;
    this.clusters = Int32Array.from(order, ({ cluster }) => cluster);
    this.gaps = Float64Array.from(order, ({ correct, confidence }) => Number(correct) - confidence);
    this.bins = binsOf(order);
    this.scores = this.draw(new Int32Array(count).fill(1));
  }

  /** The scores if each cluster occurs as often as `counts` says. The bins are those of the sample. */
  draw(counts: Int32Array): Scores {
    const n = dot(counts, this.sizes);
    const gaps = new Float64Array(this.bins.count);
    for (let at = 0; at < this.gaps.length; at += 1) {
      const times = counts[this.clusters[at] as number] as number;
      gaps[this.bins.of[at] as number]! += (times * (this.gaps[at] as number)) / n;
    }
    return {
      accuracy: dot(counts, this.sums.accuracy) / n,
      brier: dot(counts, this.sums.brier) / n,
      log_loss: dot(counts, this.sums.log_loss) / n,
      ece: eceOf(gaps),
      gaps,
    };
  }
}
