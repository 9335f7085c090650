import type { Store } from '../store/index.js';
import type { Book } from './book.js';
import { type Batch, deleteAfter } from './lifecycle/index.js';
import type { Submissions } from './submissions.js';

/** Most keys that one transaction removes: a charge waits behind it. */
const REMOVED_MAX = 1_000;

/**
 * Deletes the batches whose time is over (contract 3, deletion). First the data key goes, with which nothing of the
 * batch can be read any more, wherever the disk still has it; then what it sealed, in steps; the batch itself last, so
 * that a crash between leaves what the next run goes on with.
 */
export class Retention {
  constructor(
    private readonly store: Store,
    private readonly book: Book,
    private readonly submissions: Submissions,
  ) {}

  /** Ends between two steps when the signal aborts. Rejects with StoreError. */
  async run(now: number, signal: AbortSignal): Promise<void> {
    const old = this.submissions.old();
    if (old.length > 0) await this.store.write(old);
    // What the book has not written yet may be newer.
    await this.book.flush();
    const due = [...this.store.table('batches').entries()].filter(({ value }) => isDue(value, now));
    for (const { value } of due) {
      if (signal.aborted) return;
      await this.remove(this.book.get(value.id) ?? value);
    }
  }

  private async remove(batch: Batch): Promise<void> {
    const { store, book } = this;
    const { id, key, number } = batch;
    // Through the book, so that nothing it holds of the batch is written after this.
    book.put(
      { ...batch, deleted: true },
      store.table('data_keys').write([id], null),
      store.table('batch_webhooks').write([id], null),
    );
    await book.flush();
    for (const name of ['batch_results', 'batch_ids', 'batch_lines'] as const) {
      const table = store.table(name);
      const keys = [...table.keys(id)];
      for (let at = 0; at < keys.length; at += REMOVED_MAX) {
        await store.write(keys.slice(at, at + REMOVED_MAX).map((each) => table.write(each, null)));
      }
    }
    await store.write([
      store.table('batch_order').write([key, number], null),
      store.table('batches').write([id], null),
    ]);
  }
}

const isDue = (batch: Batch, now: number) =>
  batch.deleted || (deleteAfter(batch) ?? Number.POSITIVE_INFINITY) <= now;
