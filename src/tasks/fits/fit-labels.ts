import {
  DriftMonitor,
  type DriftState,
  fitQuestion,
  type LabelledAnswer,
  type QuestionFit,
  type TooFewLabels,
} from '../../statistics/index.js';
import { type LabelRow, openExpected } from '../labels/label.js';
import { hasCalibration, openAnswer } from '../task-answer.js';

/** What a thread needs to fit a task to its labels. */
export interface FitWork {
  readonly task: string;
  readonly dataKey: Uint8Array;
  readonly rows: readonly LabelRow[];
  /** The names of the questions, in their order. */
  readonly questions: readonly string[];
  /** That of the build now: labels of answers with another one are left out. */
  readonly calibration: string;
  readonly target: { readonly error: number; readonly confidence: number };
}

/** Per question, in their order. */
export type FittedQuestions = ReadonlyArray<QuestionFit | TooFewLabels>;

/** What comes of a fit. */
export interface FittedTask {
  readonly questions: FittedQuestions;
  /** Per question, its labelled answers, with which later ones are compared; null: it was refused. */
  readonly references: ReadonlyArray<DriftState | null>;
}

/** Resampled data sets of the intervals; the seed makes a fit of the same labels the same. */
const BOOTSTRAP = { seed: 1, resamples: 1_000 };

/** Fits every question to its labels. Throws StoreError if a label is damaged. */
export function fitLabels({ task, dataKey, rows, questions, calibration, target }: FitWork): FittedTask {
  const labels: LabelledAnswer[][] = questions.map(() => []);
  for (const row of rows) {
    const answer = openAnswer(dataKey, { id: task }, row);
    if (!hasCalibration(answer, calibration)) continue;
    const expected = openExpected(dataKey, { id: task }, row);
    for (const [at, name] of questions.entries()) {
      const option = Object.hasOwn(expected, name) ? (expected[name] ?? null) : null;
      const own = answer.probabilities[at] ?? [];
      if (option === null || own.length === 0) continue;
      labels[at]?.push({ id: row.ref, probabilities: own, expected: option });
    }
  }
  const fitted = labels.map((own) => fitQuestion(own, target, BOOTSTRAP));
  const references = labels.map((own, at) =>
    'refused' in (fitted[at] as FittedQuestions[number])
      ? null
      : DriftMonitor.of(own.map(({ probabilities }) => probabilities)).state(),
  );
  return { questions: fitted, references };
}
