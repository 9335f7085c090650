import type { Store } from '../store/index.js';
import { type Batch, isFinished } from './lifecycle/index.js';
import type { Submissions } from './submissions.js';
import type { WriteBuffer } from './write-buffer.js';

/**
 * The calendar has jumped by `ms`: how long ago a batch finished or was collected, or an idempotency key was used, stays
 * the same for whatever this process has written, which is what is not before `since` on the old calendar. Open batches
 * have a `Deadline`.
 */
export function moveTimes(
  store: Store,
  buffer: WriteBuffer,
  submissions: Submissions,
  since: number,
  ms: number,
): void {
  const moved = (instant: number | null) => (instant !== null && instant >= since ? instant + ms : instant);
  for (const { value } of store.table('batches').entries()) {
    const batch = buffer.get(value.id);
    if (batch === undefined || batch.deleted || !isFinished(batch)) continue;
    const next: Batch = { ...batch, finished: moved(batch.finished), collected: moved(batch.collected) };
    if (next.finished !== batch.finished || next.collected !== batch.collected) buffer.put(next);
  }
  const writes = submissions.moved(since, ms);
  if (writes.length > 0) buffer.write(...writes);
}
