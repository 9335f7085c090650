import { LIMITS } from '../../../api/index.js';
import { type Clock, StoreError } from '../../../base/index.js';
import {
  type AnswerRow,
  sealAnswer,
  type Task,
  type TaskAnswer,
  type TaskBounds,
  workspaceAnswersMax,
} from '../../../tasks/index.js';
import type { FolderAccess } from '../ledger/folder-access.js';
import type { LedgerPart, TakenChanges } from '../ledger/part.js';
import type { Store } from '../lmdb/store.js';
import type { RawWrite } from '../lmdb/writes.js';
import type { Sealer } from '../master-key/sealer.js';

interface Parts {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly access: Pick<FolderAccess, 'join' | 'changed' | 'flush'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The numbers of the answers that are kept of a task: from `first` to before `next`. */
interface Span {
  first: number;
  next: number;
}

/**
 * The last answers of tasks. They are written with the ledger's next transaction, so that no answer waits for them; a crash
 * loses those that are not written, as it loses their charges.
 */
export class FolderAnswers implements LedgerPart {
  private writes: RawWrite[] = [];
  /** By task. */
  private readonly spans = new Map<string, Span>();
  /** By workspace: how many answers its tasks have. */
  private readonly shares = new Map<string, number>();
  /** Answers that are not on the disk, by task and number. */
  private unwritten = new Map<string, AnswerRow>();

  constructor(private readonly parts: Parts) {
    parts.access.join(this);
  }

  /** Keeps an answer; the oldest of the task may have to go. False: there is no room for answers of the task, or the task was deleted. */
  record(task: Task, answer: TaskAnswer, bounds: TaskBounds): boolean {
    const { store, sealer, access, clock } = this.parts;
    const { id, workspace } = task;
    const dataKey = sealer.dataKey(id);
    // Deleted while it was answered.
    if (dataKey === undefined) return false;
    const share = this.shareOf(workspace);
    const span = this.spanOf(id);
    const total = store.entriesOf('task_answers') + this.unwritten.size;
    const max = bounds.maxAnswers();
    const isFull = total >= max || share >= workspaceAnswersMax(max);
    const kept = isFull ? span.next - span.first : bounds.answersOfTask;
    if (kept === 0) return false;
    const row = sealAnswer(dataKey, task, answer, clock.now());
    const number = span.next;
    // Before anything is changed: it can throw.
    const writes = [
      store.table('task_answers').write([id, number], row),
      store.table('task_refs').write([id, row.ref], number),
    ];
    span.next += 1;
    this.shares.set(workspace, share + 1);
    this.unwritten.set(`${id}/${number}`, row);
    this.writes.push(...writes);
    while (span.next - span.first > kept) this.removeFirst(id, workspace, span);
    access.changed();
    return true;
  }

  /** How many answers of a task are kept. */
  count({ id }: Pick<Task, 'id'>): number {
    const { first, next } = this.spanOf(id);
    return next - first;
  }

  /** Whether an answer is kept. One that is not may still be on the disk. */
  has({ id }: Pick<Task, 'id'>, number: number): boolean {
    const { first, next } = this.spanOf(id);
    return number >= first && number < next;
  }

  /** Call it when the answers of a task with numbers below `number` have been deleted. */
  removedBefore(id: string, number: number): void {
    const span = this.spanOf(id);
    span.first = Math.max(span.first, Math.min(number, span.next));
    // Counted anew.
    this.shares.clear();
  }

  /**
   * Call it when the calendar has jumped by `ms`: moves the times of answers that are not on the disk. Returns, by task, the
   * number after the last answer that is on the disk and was made before.
   */
  moveUnwritten(ms: number): ReadonlyMap<string, number> {
    const ends = new Map([...this.spans].map(([id, { next }]) => [id, next]));
    const answers = this.parts.store.table('task_answers');
    for (const [name, row] of [...this.unwritten]) {
      const [id, number] = name.split('/') as [string, string];
      const moved = { ...row, at: row.at + ms };
      this.unwritten.set(name, moved);
      this.writes.push(answers.write([id, Number(number)], moved));
      ends.set(id, Math.min(ends.get(id) ?? 0, Number(number)));
    }
    if (this.unwritten.size > 0) this.parts.access.changed();
    return ends;
  }

  /** Call it when a task has been deleted. */
  forget(id: string): void {
    this.spans.delete(id);
    this.shares.clear();
  }

  take(): TakenChanges {
    const { writes, unwritten } = this;
    const names = [...unwritten.keys()];
    this.writes = [];
    return {
      writes,
      written: () => {
        for (const name of names) unwritten.delete(name);
      },
      lost: () => {
        this.writes = [...writes, ...this.writes];
      },
    };
  }

  private removeFirst(id: string, workspace: string, span: Span): void {
    const answers = this.parts.store.table('task_answers');
    const number = span.first;
    span.first += 1;
    this.shares.set(workspace, (this.shares.get(workspace) ?? 1) - 1);
    const name = `${id}/${number}`;
    const row = this.unwritten.get(name) ?? readable(() => answers.get(id, number));
    this.unwritten.delete(name);
    this.writes.push(answers.write([id, number], null));
    if (row !== undefined) this.writes.push(this.parts.store.table('task_refs').write([id, row.ref], null));
  }

  private spanOf(id: string): Span {
    const known = this.spans.get(id);
    if (known !== undefined) return known;
    const answers = this.parts.store.table('task_answers');
    const [, last] = answers.lastKey(id) ?? [];
    const [first] = answers.keys(id);
    const span = { first: (first?.[1] as number) ?? 0, next: last === undefined ? 0 : (last as number) + 1 };
    this.spans.set(id, span);
    return span;
  }

  private shareOf(workspace: string): number {
    const known = this.shares.get(workspace);
    if (known !== undefined) return known;
    let share = 0;
    const rows = this.parts.store.table('tasks').checkedPart([workspace], LIMITS.tasks);
    for (const { value } of rows) if (value !== null) share += this.count(value);
    this.shares.set(workspace, share);
    return share;
  }
}

/** Undefined if the value is damaged: it must not keep the ring from moving on. */
function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return undefined;
  }
}
