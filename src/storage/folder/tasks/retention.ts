import { type Clock, DAY_MS } from '../../../base/index.js';
import type { KeyPart } from '../../../sealing/index.js';
import { RETENTION_DOUBT_MS, RETENTION_EVERY_MS, type Task, type TaskBounds } from '../../../tasks/index.js';
import type { FolderAccess } from '../ledger/folder-access.js';
import type { Store } from '../lmdb/store.js';
import type { CheckedEntry } from '../lmdb/table.js';
import type { RawWrite } from '../lmdb/writes.js';

/** Entries that one transaction removes. A charge may have to wait for it. */
const REMOVED_MAX = 1_000;
/** Entries that one transaction removes, after their values were read in one turn of the event loop: about 2 ms. */
const READ_REMOVED_MAX = 64;

interface Parts {
  readonly store: Store;
  readonly access: Pick<FolderAccess, 'flush'>;
  readonly clock: Clock;
  readonly bounds: TaskBounds;
  /** Called when the answers of a task with numbers below `number` are gone. */
  onRemoved(id: string, number: number): void;
  /** Runs `work` after the changes of tasks so far, and before the next one. */
  afterOthers(work: () => Promise<void>): Promise<void>;
  onError(error: unknown): void;
}

/** What is too old for one run. */
interface Run {
  /** By the calendar, as `before`. */
  readonly now: number;
  /** What was made earlier is removed. */
  readonly before: number;
  /** Whether nothing more may be removed by its age: the server stops, or the calendar has jumped since. */
  isOver(): boolean;
}

/**
 * Deletes answers that are too old, and what deleted tasks have left. Nothing is deleted by its age while the calendar is
 * uncertain. A task that cannot be read does not keep others from being cleared.
 */
export class FolderRetention {
  private readonly leaving = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private cancelNext = () => {};
  /** How often the calendar has jumped. */
  private jumps = 0;
  private isFirst = true;

  constructor(private readonly parts: Parts) {}

  /** Runs now and then at intervals. */
  start(): void {
    const { clock, onError } = this.parts;
    this.running = this.running
      .then(() => this.run())
      .catch(onError)
      .then(() => {
        if (!this.leaving.signal.aborted)
          this.cancelNext = clock.after(RETENTION_EVERY_MS, () => this.start());
      });
  }

  /** Resolves when a run in progress has ended, between two steps. */
  async stop(): Promise<void> {
    this.leaving.abort();
    this.cancelNext();
    await this.running;
  }

  /** Removes what is left of a task whose key is deleted, some time later. */
  remove(task: Pick<Task, 'id'>): void {
    this.running = this.running.then(() => this.removeAll(task)).catch((error) => this.parts.onError(error));
  }

  /** Call it when the calendar has jumped. `move` moves stored times with it, while nothing is removed. */
  jumped(move: () => Promise<void>): Promise<void> {
    this.jumps += 1;
    const moved = this.running.then(move);
    this.running = moved.catch(() => {});
    return moved;
  }

  private async removeAll({ id }: Pick<Task, 'id'>): Promise<void> {
    const { store, access } = this.parts;
    // What is not written yet would be written afterwards.
    await access.flush();
    await this.inParts(() =>
      store
        .table('task_answers')
        .checkedPart([id], READ_REMOVED_MAX)
        .flatMap((entry) => this.removalOf(entry)),
    );
    for (const name of ['task_refs', 'task_labels'] as const) {
      const table = store.table(name);
      await this.inParts(() => firstOf(table.keys(id), REMOVED_MAX).map((key) => table.write(key, null)));
    }
  }

  private async run(): Promise<void> {
    const { store, clock, bounds, onError } = this.parts;
    const now = clock.now();
    const mayExpire = clock.certainFor() >= RETENTION_DOUBT_MS;
    const { jumps } = this;
    const isOver = () => this.leaving.signal.aborted || this.jumps !== jumps;
    const run = { now, before: now - bounds.retentionDays() * DAY_MS, isOver };
    const ids = (['task_answers', 'task_refs', 'task_labels'] as const).flatMap((name) => [
      ...(store.table(name).firstParts() as Iterable<string>),
    ]);
    for (const id of new Set(ids)) {
      if (this.leaving.signal.aborted) return;
      await this.clear(id, mayExpire ? run : null).catch(onError);
    }
    this.isFirst = false;
  }

  /** `run` null: nothing is removed by its age. */
  private async clear(id: string, run: Run | null): Promise<void> {
    if (this.parts.store.table('data_keys').get(id) === undefined) return this.removeAll({ id });
    if (this.isFirst) await this.removeLostRefs(id);
    if (run === null) return;
    await this.removeAnswers(id, run);
    await this.removeLabels(id, run);
  }

  /** Removes references to answers that are gone, as a damaged answer leaves one. */
  private async removeLostRefs(id: string): Promise<void> {
    const { store } = this.parts;
    const [answers, refs] = [store.table('task_answers'), store.table('task_refs')];
    if (refs.count([id]) === answers.count([id])) return;
    const isLost = (number: number | null) => number === null || answers.count([id, number]) === 0;
    const lost: KeyPart[][] = [];
    for await (const { key, value } of refs.checkedInTurns(id)) if (isLost(value)) lost.push(key);
    for (let at = 0; at < lost.length && !this.leaving.signal.aborted; at += READ_REMOVED_MAX)
      await store.write(lost.slice(at, at + READ_REMOVED_MAX).map((key) => refs.write(key, null)));
  }

  /** Labels are not in the order of their time. */
  private async removeLabels(id: string, { before, isOver }: Run): Promise<void> {
    const { store, afterOthers } = this.parts;
    const labels = store.table('task_labels');
    const old: KeyPart[][] = [];
    for await (const { key, value } of labels.checkedInTurns(id))
      if (value !== null && value.at < before) old.push(key);
    for (let at = 0; at < old.length && !isOver(); at += READ_REMOVED_MAX) {
      await afterOthers(async () => {
        if (isOver()) return;
        const part = old.slice(at, at + READ_REMOVED_MAX).map((key) => ({ key, value: labels.get(...key) }));
        // An answer that was labelled again meanwhile keeps its labels.
        const removed = part.filter(({ value }) => value !== undefined && value.at < before);
        await store.write(removed.map(({ key }) => labels.write(key, null)));
      });
    }
  }

  private async removeAnswers(id: string, run: Run): Promise<void> {
    const { store, onRemoved } = this.parts;
    const end = await this.endOfOld(id, run);
    for (;;) {
      const part = store.table('task_answers').checkedPart([id], READ_REMOVED_MAX);
      const old = part.filter(({ key }) => (key[1] as number) < end);
      if (old.length === 0 || run.isOver()) return;
      await store.write(old.flatMap((entry) => this.removalOf(entry)));
      onRemoved(id, (old.at(-1)?.key[1] as number) + 1);
    }
  }

  /** The number after the last answer that is too old: those with smaller numbers are older. 0: none is. */
  private async endOfOld(id: string, { now, before }: Run): Promise<number> {
    let end = 0;
    for await (const { key, value } of this.parts.store.table('task_answers').checkedInTurns(id)) {
      // The time of an answer that is damaged, or was made while the calendar was ahead, is not used.
      if (value === null || value.at > now) continue;
      if (value.at >= before) break;
      end = (key[1] as number) + 1;
    }
    return end;
  }

  /** The writes that remove an answer and the reference to it. If it is damaged, the reference stays until the next start. */
  private removalOf({ key, value }: CheckedEntry<'task_answers'>): RawWrite[] {
    const { store } = this.parts;
    const removal = store.table('task_answers').write(key, null);
    if (value === null) return [removal];
    return [removal, store.table('task_refs').write([key[0] as string, value.ref], null)];
  }

  /** Commits what `next` returns, until that is nothing. */
  private async inParts(next: () => RawWrite[]): Promise<void> {
    for (;;) {
      const writes = next();
      if (writes.length === 0 || this.leaving.signal.aborted) return;
      await this.parts.store.write(writes);
    }
  }
}

function firstOf<Item>(items: Iterable<Item>, max: number): Item[] {
  const found: Item[] = [];
  for (const item of items) {
    if (found.length === max) break;
    found.push(item);
  }
  return found;
}
