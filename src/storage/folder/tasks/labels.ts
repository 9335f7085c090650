import { nextTurn } from '../../../base/index.js';
import {
  answerRef,
  type LabelOutcome,
  type LabelRow,
  LabelRows,
  type NewLabel,
  type Task,
} from '../../../tasks/index.js';
import type { Store } from '../lmdb/store.js';
import type { RawWrite } from '../lmdb/writes.js';
import type { FolderLabelCounts } from './label-counts.js';
import type { FolderMonitors } from './monitors.js';

/** Labels that are looked up in one turn of the event loop: about 2 ms. */
const TURN_LABELS = 32;

interface Parts {
  readonly store: Store;
  readonly monitors: FolderMonitors;
  readonly counts: Pick<FolderLabelCounts, 'of'>;
  /** The most labelled answers of a task. */
  readonly max: number;
}

/** The outcome of a call, and the writes that store its labels. */
interface LabelWrites {
  readonly outcome: LabelOutcome;
  readonly writes: readonly RawWrite[];
}

/** The labels of tasks. No task may be changed while its labels are made. */
export class FolderLabels {
  constructor(private readonly parts: Parts) {}

  /**
   * The answers so far must be on the disk. Rejects with StoreError.
   *
   * @param task as it is stored
   * @param now when they were labelled, in milliseconds since 1970
   */
  async writesOf(
    dataKey: Buffer,
    task: Task,
    labels: readonly NewLabel[],
    now: number,
  ): Promise<LabelWrites> {
    const { store, monitors, counts, max } = this.parts;
    const table = store.table('task_labels');
    const made = new LabelRows(dataKey, task, now);
    for (const [at, label] of labels.entries()) {
      if (at % TURN_LABELS === TURN_LABELS - 1) await nextTurn();
      const ref = answerRef(dataKey, label.reference);
      made.add(label, ref, { label: table.get(task.id, ref), answer: this.answer(task, ref) });
    }
    const { outcome, removed } = made.planned(await counts.of(task), max);
    if (!outcome.stored) return { outcome, writes: [] };
    const rows = [...made.rows].map(([ref, row]) => table.write([task.id, ref], row));
    const earlier = removed === 0 ? [] : await this.earlier(task, made.rows);
    return {
      outcome,
      writes: [
        ...rows,
        ...earlier.slice(0, removed).map(({ ref }) => table.write([task.id, ref], null)),
        ...monitors.writesOf(dataKey, task, made.firsts),
      ],
    };
  }

  /** The labelled answers of versions before that in use, but those that are stored anew, in the order of `removedForRoom`. */
  private async earlier(
    { id, version }: Task,
    stored: ReadonlyMap<string, LabelRow>,
  ): Promise<readonly LabelRow[]> {
    const rows: LabelRow[] = [];
    for await (const { value } of this.parts.store.table('task_labels').checkedInTurns(id)) {
      if (value !== null && value.version < version && !stored.has(value.ref)) rows.push(value);
    }
    return rows.sort((a, b) => a.version - b.version || a.at - b.at || (a.ref < b.ref ? -1 : 1));
  }

  private answer({ id }: Pick<Task, 'id'>, ref: string) {
    const { store } = this.parts;
    const number = store.table('task_refs').get(id, ref);
    return number === undefined ? undefined : store.table('task_answers').get(id, number);
  }
}
