import type { Clock } from '../base/index.js';
import type { Store } from '../store/index.js';
import { deleteAfter } from './lifecycle/apply.js';
import type { Batch } from './lifecycle/transitions.js';
import type { StoredTimes } from './stored-times.js';
import type { Submissions } from './submissions.js';
import type { WriteBuffer } from './write-buffer.js';

/** Lines of which one transaction removes everything: a charge waits behind it. */
const REMOVED_MAX = 1_000;
/**
 * After a jump of the calendar or a doubtful start, nothing is deleted for this long: time to correct the clock. Not a
 * day: a host that is switched off every night starts in doubt every morning, and must still delete.
 */
const DOUBT_MS = 60 * 60 * 1_000;

/**
 * Deletes the batches whose time is over (contract 3 `deletion`). First the data key goes, with which nothing of the
 * batch can be read any more, wherever the disk still has it; then what it sealed, in steps; the batch itself last, so
 * that a crash between leaves what the next run goes on with.
 */
export class Retention {
  constructor(
    private readonly store: Store,
    private readonly buffer: WriteBuffer,
    private readonly submissions: Submissions,
    private readonly times: StoredTimes,
    private readonly clock: Clock,
  ) {}

  /**
   * Deletes what is due; nothing while the calendar is uncertain. Ends between two steps when the signal aborts or the
   * calendar jumps, because times that have moved must not be compared with an instant of before. Rejects with
   * StoreError.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { times, clock } = this;
    // First, since the calendar may jump with it.
    const now = clock.now();
    if (clock.certainFor() < DOUBT_MS || times.isMoving) return;
    const { jumps } = times;
    await this.submissions.forget();
    // What the buffer has not written yet may be newer.
    await this.buffer.flush();
    for await (const { value } of this.store.table('batches').entriesInTurns()) {
      if (signal.aborted || times.jumps !== jumps) return;
      if (isDue(value, now)) await this.remove(this.buffer.get(value.id) ?? value);
    }
  }

  private async remove(batch: Batch): Promise<void> {
    const { store, buffer } = this;
    const { id, key, number, lines } = batch;
    // Through the buffer, so that nothing it holds of the batch is written after this.
    buffer.put(
      { ...batch, deleted: true },
      store.table('data_keys').write([id], null),
      store.table('batch_webhooks').write([id], null),
    );
    await buffer.flush();
    // No more chunks than lines.
    for (let at = 0; at < lines; at += REMOVED_MAX) {
      const [from, to] = [
        [id, at],
        [id, at + REMOVED_MAX],
      ] as const;
      await store.write([
        store.table('batch_results').removal(from, to),
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

const isDue = (batch: Batch, now: number) =>
  batch.deleted || (deleteAfter(batch) ?? Number.POSITIVE_INFINITY) <= now;
