import { type Clock, nextTurn } from '../../../base/index.js';
import { answerRef, type LabelOutcome, LabelRows, type NewLabel, type Task } from '../../../tasks/index.js';
import type { FolderAccess } from '../ledger/folder-access.js';
import type { Store } from '../lmdb/store.js';
import type { RawWrite } from '../lmdb/writes.js';
import type { FolderMonitors } from './monitors.js';

/** Labels that are looked up in one turn of the event loop: about 2 ms. */
const TURN_LABELS = 32;

interface Parts {
  readonly store: Store;
  readonly monitors: FolderMonitors;
  readonly access: Pick<FolderAccess, 'flush'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The outcome of a call, and the writes that store its labels. */
interface LabelWrites {
  readonly outcome: LabelOutcome;
  readonly writes: readonly RawWrite[];
}

/** The labels of tasks. No task may be changed while its labels are made. */
export class FolderLabels {
  constructor(private readonly parts: Parts) {}

  /** `task`: as it is stored. Rejects with StoreError. */
  async writesOf(dataKey: Buffer, task: Task, labels: readonly NewLabel[]): Promise<LabelWrites> {
    const { store, access, clock, monitors } = this.parts;
    // An answer may be labelled at once.
    await access.flush();
    const table = store.table('task_labels');
    const made = new LabelRows(dataKey, task, clock.now());
    for (const [at, label] of labels.entries()) {
      if (at % TURN_LABELS === TURN_LABELS - 1) await nextTurn();
      const ref = answerRef(dataKey, label.reference);
      made.add(label, ref, { label: table.get(task.id, ref), answer: this.answer(task, ref) });
    }
    const outcome = made.outcome(this.count(task));
    if (!outcome.stored) return { outcome, writes: [] };
    const rows = [...made.rows].map(([ref, row]) => table.write([task.id, ref], row));
    return { outcome, writes: [...rows, ...monitors.writesOf(dataKey, task, made.firsts)] };
  }

  /** How many labelled answers a task has. */
  count({ id }: Pick<Task, 'id'>): number {
    return this.parts.store.table('task_labels').count([id]);
  }

  private answer({ id }: Pick<Task, 'id'>, ref: string) {
    const { store } = this.parts;
    const number = store.table('task_refs').get(id, ref);
    return number === undefined ? undefined : store.table('task_answers').get(id, number);
  }
}
