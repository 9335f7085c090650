import { placeOf, seal, unseal } from '../../sealing/index.js';
import type { FirstLabels } from '../monitor/task-monitor.js';
import { type AnswerRow, openAnswer, sealAnswer, type TaskAnswer } from '../task-answer.js';
import type { Task } from '../task-types.js';
import { type LabelCounts, removedForRoom } from './label-room.js';

/** The correct option of questions, as its index, by the name of the question. Null: a label is taken back. */
export type Expected = Readonly<Record<string, number | null>>;

/** A label that is to be stored. */
export interface NewLabel {
  /** The number of its line, from 1. */
  readonly line: number;
  /** What names the answer; see `TaskAnswer`. */
  readonly reference: string;
  readonly expected: Expected;
  /** The answer, if it was made for this label; null: one that is kept already. */
  readonly answer: TaskAnswer | null;
}

/** An answer whose correct options are known, as it is stored. */
export interface LabelRow extends AnswerRow {
  /** The correct options, encrypted with the key of the task, in base64. `at` is the time of the last label. */
  readonly expected: string;
}

/** Encrypts the correct options of an answer. */
const sealExpected = (
  dataKey: Uint8Array,
  { id }: Pick<Task, 'id'>,
  ref: string,
  expected: Expected,
): string =>
  seal(dataKey, placeOf('task_labels', id, ref), Buffer.from(JSON.stringify(expected))).toString('base64');

/** Decrypts the correct options of an answer. Throws StoreError if they are damaged. */
export const openExpected = (
  dataKey: Uint8Array,
  { id }: Pick<Task, 'id'>,
  { ref, expected }: Pick<LabelRow, 'ref' | 'expected'>,
): Expected =>
  JSON.parse(unseal(dataKey, placeOf('task_labels', id, ref), Buffer.from(expected, 'base64')).toString());

/**
 * The labels of an answer after a new one: what it does not name stays. A null that takes nothing back is not stored: the
 * label that follows it is the first one.
 */
function withLabel(before: Expected, { expected }: Pick<NewLabel, 'expected'>): Expected {
  const said = Object.entries(expected).filter(
    ([name, option]) => option !== null || Object.hasOwn(before, name),
  );
  return { ...before, ...Object.fromEntries(said) };
}

/** Why a label cannot be stored. */
export interface LabelProblem {
  readonly line: number;
  readonly type: 'answer_not_found' | 'answer_of_other_version';
}

/**
 * The outcome of a call with labels: all of them are stored, or none. `labels`: how many labelled answers the version in use
 * has. `faults` null: it would have more than it may.
 */
export type LabelOutcome =
  | { readonly stored: true; readonly labels: number }
  | { readonly stored: false; readonly faults: readonly LabelProblem[] | null };

/** Why the answer of a row, if there is one, cannot be labelled; null: it can. */
function problemOf(
  row: Pick<AnswerRow, 'version'> | undefined,
  { version }: Pick<Task, 'version'>,
): LabelProblem['type'] | null {
  if (row === undefined) return 'answer_not_found';
  return row.version === version ? null : 'answer_of_other_version';
}

/** What is stored of an answer that is to be labelled. */
interface StoredAnswer {
  readonly label: LabelRow | undefined;
  readonly answer: AnswerRow | undefined;
}

/** The rows of the labels of a call. */
export class LabelRows {
  /** By reference. */
  readonly rows = new Map<string, LabelRow>();
  /** The labels that are the first ones of their question and answer, also if they are corrected later in the call. */
  readonly firsts: FirstLabels[] = [];
  private readonly faults: LabelProblem[] = [];
  /** Rows of answers that have no label yet, and those that have none of the version in use. */
  private readonly added = { all: 0, current: 0 };

  /** @param now milliseconds since 1970 */
  constructor(
    private readonly dataKey: Uint8Array,
    private readonly task: Task,
    private readonly now: number,
  ) {}

  /**
   * Adds the row of a label, or a fault. A later label of the same answer follows an earlier one. An answer that has no label
   * after it gets no row.
   */
  add(label: NewLabel, ref: string, stored: StoredAnswer): void {
    const { dataKey, task, now, rows, faults } = this;
    const known = rows.get(ref) ?? stored.label;
    const own = label.answer === null ? undefined : sealAnswer(dataKey, task, label.answer, now);
    const row = own ?? known ?? stored.answer;
    const type = problemOf(row, task);
    if (type !== null || row === undefined) {
      faults.push({ line: label.line, type: type ?? 'answer_not_found' });
      return;
    }
    const before = known?.version === task.version ? openExpected(dataKey, task, known) : {};
    const after = withLabel(before, label);
    if (Object.keys(after).length === 0) return;
    if (known === undefined) this.added.all += 1;
    if (known?.version !== task.version) this.added.current += 1;
    const { version, build, sealed } = row;
    rows.set(ref, {
      ref,
      at: now,
      version,
      build,
      sealed,
      expected: sealExpected(dataKey, task, ref, after),
    });
    this.addFirsts(row, label, before);
  }

  private addFirsts(row: AnswerRow, { answer, expected }: NewLabel, before: Expected): void {
    const first = Object.entries(expected).flatMap(([name, option]) =>
      option === null || Object.hasOwn(before, name) ? [] : [[name, option] as const],
    );
    if (first.length === 0) return;
    const { build, calibration, probabilities } = answer ?? openAnswer(this.dataKey, this.task, row);
    const of = { build, ...(calibration !== undefined && { calibration }) };
    this.firsts.push({ ...of, probabilities, expected: Object.fromEntries(first) });
  }

  /**
   * What is to be done for a task that has so many labelled answers. If `outcome.stored` is true, the rows are to be stored,
   * and `removed` of earlier versions to be removed; see `removedForRoom`.
   *
   * @param max the most labelled answers of a task
   */
  planned(
    { all, current }: LabelCounts,
    max: number,
  ): { readonly outcome: LabelOutcome; readonly removed: number } {
    if (this.faults.length > 0) return { outcome: { stored: false, faults: this.faults }, removed: 0 };
    const after = { all: all + this.added.all, current: current + this.added.current };
    const removed = removedForRoom(after, max);
    if (removed === null) return { outcome: { stored: false, faults: null }, removed: 0 };
    return { outcome: { stored: true, labels: after.current }, removed };
  }
}
