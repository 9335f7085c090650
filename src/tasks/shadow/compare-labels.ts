import { NO_SHADOW_ANSWERS, type ShadowCounts, withPairLabel } from '../../statistics/index.js';
import { openExpected } from '../labels/label.js';
import { openAnswer } from '../task-answer.js';
import type { LabelledRows } from '../task-store.js';
import type { ShadowRecord } from './shadow-record.js';

/** Labelled answers of a version and a build, some of which a shadow build has answered too. */
export interface CompareWork extends LabelledRows {
  readonly task: string;
  /** The names of the questions, in their order. */
  readonly questions: readonly string[];
  /** What is counted: the shadow build, and since when. */
  readonly counted: Pick<ShadowRecord, 'shadow' | 'since'>;
}

/**
 * Per question, how many of the labelled answers of both builds are right, of the pairs that are counted. Throws StoreError
 * if a label is damaged.
 */
export function compareLabels({ task, dataKey, rows, questions, counted }: CompareWork): ShadowCounts[] {
  const counts: ShadowCounts[] = questions.map(() => NO_SHADOW_ANSWERS);
  for (const row of rows) {
    const answer = openAnswer(dataKey, { id: task }, row);
    if (answer.shadow?.build !== counted.shadow || answer.shadow.since !== counted.since) continue;
    const expected = openExpected(dataKey, { id: task }, row);
    for (const [at, name] of questions.entries()) {
      const option = Object.hasOwn(expected, name) ? (expected[name] ?? null) : null;
      const [live, other] = [answer.probabilities[at] ?? [], answer.shadow.probabilities[at] ?? []];
      if (option === null || live.length === 0 || other.length === 0) continue;
      counts[at] = withPairLabel(counts[at] as ShadowCounts, { live, shadow: other }, option);
    }
  }
  return counts;
}
