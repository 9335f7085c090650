import { type Clock, DAY_MS } from '../../../base/index.js';
import type { KeyPart } from '../../../sealing/index.js';
import { RETENTION_DOUBT_MS, RETENTION_EVERY_MS, type Task, type TaskBounds } from '../../../tasks/index.js';
import type { FolderAccess } from '../ledger/folder-access.js';
import type { Store } from '../lmdb/store.js';
import type { Value } from '../lmdb/table.js';
import type { Sealer } from '../master-key/sealer.js';

/** Entries that one transaction removes. A charge may have to wait for it. */
const REMOVED_MAX = 1_000;
/** Labels that one transaction removes, after they were read again in one turn of the event loop: about 2 ms. */
const LABELS_REMOVED_MAX = 64;

interface Parts {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly access: Pick<FolderAccess, 'flush'>;
  readonly clock: Clock;
  readonly bounds: TaskBounds;
  /** Called when the answers of a task with numbers below `number` are gone. */
  onRemoved(id: string, number: number): void;
  /** Runs `work` after the changes of tasks so far, and before the next one. */
  afterOthers(work: () => Promise<void>): Promise<void>;
  onError(error: unknown): void;
}

/**
 * Deletes answers that are too old, and what deleted tasks have left. Nothing is deleted by its age while the calendar is
 * uncertain.
 */
export class FolderRetention {
  private readonly leaving = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private cancelNext = () => {};

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

  private async removeAll({ id }: Pick<Task, 'id'>): Promise<void> {
    // What is not written yet would be written afterwards.
    await this.parts.access.flush();
    for (const name of ['task_answers', 'task_refs', 'task_labels'] as const) {
      for (;;) {
        const keys = firstOf(this.parts.store.table(name).keys(id), REMOVED_MAX);
        if (keys.length === 0 || this.leaving.signal.aborted) break;
        await this.parts.store.write(keys.map((key) => this.parts.store.table(name).write(key, null)));
      }
    }
  }

  private async run(): Promise<void> {
    const { store, sealer, clock, bounds } = this.parts;
    const now = clock.now();
    const mayExpire = clock.certainFor() >= RETENTION_DOUBT_MS;
    const ids = (['task_answers', 'task_labels'] as const).flatMap((name) => [
      ...(store.table(name).firstParts() as Iterable<string>),
    ]);
    for (const id of new Set(ids)) {
      if (this.leaving.signal.aborted) return;
      const oldest = now - bounds.retentionDays() * DAY_MS;
      if (sealer.dataKey(id) === undefined) await this.removeAll({ id });
      else if (mayExpire) {
        await this.removeBefore(id, oldest);
        await this.removeLabels(id, oldest);
      }
    }
  }

  /** Labels are not in the order of their time. */
  private async removeLabels(id: string, instant: number): Promise<void> {
    const { store, afterOthers } = this.parts;
    const labels = store.table('task_labels');
    const isOld = ({ at }: Value<'task_labels'>) => at < instant;
    const old: KeyPart[][] = [];
    for await (const { key, value } of labels.entriesInTurns(id)) if (isOld(value)) old.push(key);
    for (let at = 0; at < old.length && !this.leaving.signal.aborted; at += LABELS_REMOVED_MAX) {
      await afterOthers(async () => {
        const part = old
          .slice(at, at + LABELS_REMOVED_MAX)
          .map((key) => ({ key, value: labels.get(...key) }));
        // An answer that was labelled again meanwhile keeps its labels.
        const removed = part.filter(({ value }) => value !== undefined && isOld(value));
        await store.write(removed.map(({ key }) => labels.write(key, null)));
      });
    }
  }

  private async removeBefore(id: string, instant: number): Promise<void> {
    const { store, onRemoved } = this.parts;
    const [answers, refs] = [store.table('task_answers'), store.table('task_refs')];
    for (;;) {
      const old = firstOf(answers.entries(id), REMOVED_MAX, ({ value }) => value.at < instant);
      if (old.length === 0 || this.leaving.signal.aborted) return;
      await store.write(
        old.flatMap(({ key, value }) => [answers.write(key, null), refs.write([id, value.ref], null)]),
      );
      onRemoved(id, (old.at(-1)?.key[1] as number) + 1);
    }
  }
}

/** The first items, up to one that does not fit. */
function firstOf<Item>(
  items: Iterable<Item>,
  max: number,
  fits: (item: Item) => boolean = () => true,
): Item[] {
  const found: Item[] = [];
  for (const item of items) {
    if (found.length === max || !fits(item)) break;
    found.push(item);
  }
  return found;
}
