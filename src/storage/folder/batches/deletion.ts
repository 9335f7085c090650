import type { Clock } from '../../../base/index.js';
import { type Batch, type BatchReports, DELETION_MS, DOUBT_MS, deleteAfter } from '../../../batch/index.js';
import type { KeyPart } from '../../../sealing/index.js';
import type { Store } from '../lmdb/store.js';
import type { Submissions } from './submissions.js';
import type { BatchTimes } from './times.js';
import type { FolderWorkBuffer } from './work-buffer.js';

/** Lines of which one transaction removes everything. A charge may have to wait for it. */
const REMOVED_MAX = 1_000;

interface Parts {
  readonly store: Store;
  readonly buffer: FolderWorkBuffer;
  readonly submissions: Submissions;
  readonly times: BatchTimes;
  readonly clock: Clock;
  readonly reports: BatchReports;
  /** Whether lines of a batch may be in progress. */
  isOpen(id: string): boolean;
}

/**
 * Deletes batches that are due (contract 3 `deletion`). The data key is deleted first: without it nothing of the batch can
 * be decrypted. (Free pages of the file may still have it, encrypted with the master key: see `Sealer`.) Then the sealed
 * values go, in steps, and the batch itself last, so that the next run continues after a crash.
 */
export class BatchDeletion {
  private readonly leaving = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private cancelNext = () => {};

  constructor(private readonly parts: Parts) {}

  /** Runs now and then at intervals. */
  start(): void {
    const { clock, reports } = this.parts;
    const { signal } = this.leaving;
    this.running = this.run(signal)
      .catch((error) => reports.error(error, '-'))
      .then(() => {
        if (!signal.aborted) this.cancelNext = clock.after(DELETION_MS, () => this.start());
      });
  }

  /** Resolves when a run in progress has ended, between two steps. */
  async stop(): Promise<void> {
    this.leaving.abort();
    this.cancelNext();
    await this.running;
  }

  /**
   * Deletes what was erased, and what is due; of the latter nothing while the calendar is uncertain, nor after it has
   * jumped, because times that have moved must not be compared with an instant from before the jump. Rejects with
   * StoreError.
   */
  private async run(signal: AbortSignal): Promise<void> {
    const { store, buffer, submissions, times, clock } = this.parts;
    // Read first: reading it may make the calendar jump, which the next line must see.
    const now = clock.now();
    const { jumps } = times;
    const isCertain = () => clock.certainFor() >= DOUBT_MS && !times.isMoving && times.jumps === jumps;
    if (isCertain()) await submissions.forget();
    // The table is read below, and the buffer may hold newer states.
    await buffer.flush();
    let damaged: readonly KeyPart[] | null = null;
    for await (const { key, value } of store.table('batches').checkedInTurns()) {
      if (signal.aborted) return;
      if (value === null) {
        damaged = key;
        continue;
      }
      const isErased = value.deleted && !this.parts.isOpen(value.id);
      if (isErased || (isCertain() && isDue(value, now))) await this.remove(buffer.get(value.id) ?? value);
    }
    // Throws: it is reported, and those behind it have been deleted.
    if (damaged !== null) store.table('batches').get(...damaged);
  }

  private async remove(batch: Batch): Promise<void> {
    const { store, buffer } = this.parts;
    const { id, key, number, lines } = batch;
    // Through the buffer, so that nothing it still holds of the batch is written later.
    buffer.put(
      { ...batch, deleted: true },
      store.table('data_keys').write([id], null),
      store.table('batch_webhooks').write([id], null),
    );
    await buffer.flush();
    // A batch has no more chunks than lines.
    for (let at = 0; at < lines; at += REMOVED_MAX) {
      const [from, to] = [
        [id, at],
        [id, at + REMOVED_MAX],
      ] as const;
      await store.write([
        store.table('batch_results').removal(from, to),
        store.table('batch_aborts').removal(from, to),
        store.table('batch_ids').removal(from, to),
        store.table('batch_lines').removal(from, to),
      ]);
    }
    await store.write([
      store.table('batch_order').write([key, number], null),
      store.table('batches').write([id], null),
    ]);
  }
}

const isDue = (batch: Batch, now: number) => (deleteAfter(batch) ?? Number.POSITIVE_INFINITY) <= now;
