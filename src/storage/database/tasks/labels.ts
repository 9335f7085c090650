import { nextTurn } from '../../../base/index.js';
import {
  type LabelOutcome,
  type LabelRow,
  LabelRows,
  type NewLabel,
  type Task,
} from '../../../tasks/index.js';
import type { Transaction } from '../postgres/database.js';
import { answerRefs } from './answer-refs.js';
import { countLabels, findAnswers, findLabels, putLabels, removeEarlier } from './label-rows.js';
import type { DatabaseMonitors } from './monitors.js';

/** Labels that are encrypted in one turn of the event loop: about 2 ms. */
const TURN_LABELS = 32;

/** What became of labels, and the rows that were stored. */
interface StoredLabels {
  readonly outcome: LabelOutcome;
  readonly rows: readonly LabelRow[];
}

/**
 * Stores labels of answers: all of them, or none. The task must be locked. Rejects with StoreError too.
 *
 * @param task as it is stored
 * @param now milliseconds since 1970
 * @param max the most labelled answers of a task
 */
export async function storeLabels(
  sql: Transaction,
  monitors: DatabaseMonitors,
  dataKey: Buffer,
  task: Task,
  labels: readonly NewLabel[],
  now: number,
  max: number,
): Promise<StoredLabels> {
  const refs = await answerRefs(dataKey, labels);
  const [known, answers] = [await findLabels(sql, task.id, refs), await findAnswers(sql, task.id, refs)];
  const made = new LabelRows(dataKey, task, now);
  for (const [at, label] of labels.entries()) {
    if (at % TURN_LABELS === TURN_LABELS - 1) await nextTurn();
    const ref = refs[at] as string;
    made.add(label, ref, { label: known.get(ref), answer: answers.get(ref) });
  }
  const { outcome, removed } = made.planned(await countLabels(sql, task), max);
  const rows = outcome.stored ? [...made.rows.values()] : [];
  if (outcome.stored) {
    await putLabels(sql, task.id, rows);
    await removeEarlier(sql, task, removed);
    await monitors.addLabels(sql, task, made.firsts);
  }
  return { outcome, rows };
}
