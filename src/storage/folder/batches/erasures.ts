import type { Clock } from '../../../base/index.js';
import { apply, type BatchReports, type Runner } from '../../../batch/index.js';
import type { Store } from '../lmdb/store.js';
import type { FolderWorkBuffer } from './work-buffer.js';

/** The interval, in milliseconds, at which the server looks for batches that were erased. */
const ERASURES_MS = 1_000;

interface Parts {
  readonly store: Store;
  readonly buffer: FolderWorkBuffer;
  readonly runner: Pick<Runner, 'find' | 'erase'>;
  readonly clock: Clock;
  readonly reports: Pick<BatchReports, 'error'>;
  /** Whether the batch has been committed, but does not run yet. */
  isBeingStored(id: string): boolean;
}

/**
 * Ends the batches that the operator has erased, in this process or by a command: their owners no longer find them, no
 * further line of them starts, and the next deletion run removes them. Their data keys are gone already.
 */
export class BatchErasures {
  private changes = -1;
  private stopped = false;
  private cancelNext = () => {};

  constructor(private readonly parts: Parts) {}

  /** Runs now, and then at intervals. Rejects with StoreError, the first time only. */
  async start(): Promise<void> {
    await this.take();
    this.later();
  }

  stop(): void {
    this.stopped = true;
    this.cancelNext();
  }

  private later(): void {
    if (this.stopped) return;
    const { clock, reports } = this.parts;
    this.cancelNext = clock.after(ERASURES_MS, () => {
      void this.take()
        .catch((error) => reports.error(error, '-'))
        .then(() => this.later());
    });
  }

  /**
   * Ends the batches that were erased before the call. Resolves when that is on the disk; rejects with StoreError. May be
   * called while an earlier call is in progress.
   */
  async take(): Promise<void> {
    const { store, buffer } = this.parts;
    const changes = store.changes();
    // An erasure is an administrative change: without a further one there is none.
    if (changes === this.changes) return;
    let isComplete = true;
    for (const [id] of [...store.table('batch_erasures').keys()] as [string][]) {
      if (this.parts.isBeingStored(id)) isComplete = false;
      else this.erase(id);
    }
    await buffer.flush();
    if (isComplete) this.changes = changes;
  }

  private erase(id: string): void {
    const { store, buffer, runner, clock } = this.parts;
    const open = runner.find(id);
    const batch = buffer.get(id);
    if (open !== undefined) runner.erase(open);
    else if (batch !== undefined) buffer.put(apply(batch, 'erase', clock.now()));
    // A submission that is repeated under its idempotency key makes a new batch.
    if (batch !== undefined) buffer.write(...submissionsOf(store, batch.key, id));
    buffer.write(store.table('batch_erasures').write([id], null));
  }
}

/** Removes what a key submitted under an idempotency key as this batch. */
function submissionsOf(store: Store, key: string, batch: string) {
  const table = store.table('submissions');
  const found = [...table.entries(key)].filter(({ value }) => value.batch === batch);
  return found.map((entry) => table.write(entry.key, null));
}
