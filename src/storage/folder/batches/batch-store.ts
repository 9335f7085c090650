import type { Caller } from '../../../access/index.js';
import { LIMITS } from '../../../api/index.js';
import type { Clock } from '../../../base/index.js';
import {
  type Batch,
  type BatchReports,
  type BatchStore,
  cannotStore,
  type Draft,
  type Idempotency,
  OpenBatch,
  type Runner,
  tooManyBatches,
} from '../../../batch/index.js';
import type { Store } from '../lmdb/store.js';
import type { RawWrite } from '../lmdb/writes.js';
import type { Sealer } from '../master-key/sealer.js';
import type { FolderStoredBytes } from './stored-bytes.js';
import type { Submissions } from './submissions.js';

interface Parts {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly runner: Runner;
  readonly submissions: Submissions;
  readonly storage: FolderStoredBytes;
  readonly reports: Pick<BatchReports, 'error'>;
  /** Resolves when every erasure before the call is complete; see `BatchErasures`. */
  takeErasures(): Promise<void>;
}

/** Stores new batches in the data folder and runs them. */
export class FolderBatchStore implements BatchStore {
  /** By key: batches that are being written. */
  private readonly writing = new Map<string, number>();
  private readonly beingStored = new Set<Batch>();
  private readonly numbers = new Map<string, number>();

  constructor(private readonly parts: Parts) {}

  /** The models and builds that batches name whose transaction is not written yet. */
  get modelsBeingStored(): string[] {
    return [...this.beingStored].flatMap(({ models }) => models);
  }

  /** Whether the transaction of a batch is in progress, or has just ended. */
  isBeingStored(id: string): boolean {
    return [...this.beingStored].some((batch) => batch.id === id);
  }

  checkRoom({ key, workspace }: Caller): void {
    this.checkOpen(key.id);
    this.parts.storage.requireRoom(workspace.id);
  }

  async find(key: string, idempotency: Idempotency): Promise<string | undefined> {
    // It removes the rows of erased batches. A further row must not be written before.
    await this.written(this.parts.takeErasures());
    return this.parts.submissions.find(key, idempotency);
  }

  async create(draft: Draft): Promise<Batch> {
    const { store, sealer, clock, storage, runner } = this.parts;
    const { id, caller, dataKey } = draft.contents;
    // From here to the commit in one turn of the event loop, so that the data key is encrypted with the right master key.
    while (sealer.changing !== null) await sealer.changing;
    draft.checkCurrent();
    // Other submissions may have been stored while the file was checked.
    this.checkOpen(caller.key.id);
    const batch = draft.batch(this.nextNumber(caller.key.id), clock.now());
    const writes = this.writesOf(batch, draft);
    const releaseRoom = storage.take(batch, writes);
    const releaseSlot = this.takeSlot(batch.key);
    this.beingStored.add(batch);
    try {
      await this.written(store.write(writes));
      storage.note(batch);
      const open = new OpenBatch(batch, { id, dataKey });
      open.deadline.begin(clock);
      runner.add(open);
    } finally {
      this.beingStored.delete(batch);
      releaseSlot();
      releaseRoom();
    }
    return batch;
  }

  private checkOpen(key: string): void {
    if (this.parts.runner.openOf(key).length + (this.writing.get(key) ?? 0) < LIMITS.batchesOpen) return;
    throw tooManyBatches();
  }

  private writesOf(batch: Batch, { contents }: Draft): RawWrite[] {
    const { store, sealer, submissions } = this.parts;
    const { id, key, number, created } = batch;
    const { dataKey, file, webhook, idempotency } = contents;
    const writes = [
      sealer.keyWrite(id, dataKey),
      store.table('batches').write([id], batch),
      store.table('batch_order').write([key, number], id),
      ...file.chunks.flatMap(({ lines, ids }, chunk) => [
        store.table('batch_lines').write([id, chunk], lines as Buffer),
        store.table('batch_ids').write([id, chunk], ids as Buffer),
      ]),
    ];
    if (webhook !== null) writes.push(store.table('batch_webhooks').write([id], webhook));
    if (idempotency !== null) writes.push(submissions.write(key, idempotency, id, created));
    return writes;
  }

  /** Counts a batch that is being written as an open batch of its key, until the returned function is called. */
  private takeSlot(key: string): () => void {
    this.writing.set(key, (this.writing.get(key) ?? 0) + 1);
    return () => {
      const left = (this.writing.get(key) ?? 1) - 1;
      if (left === 0) this.writing.delete(key);
      else this.writing.set(key, left);
    };
  }

  private async written(transaction: Promise<void>): Promise<void> {
    try {
      await transaction;
    } catch (error) {
      this.parts.reports.error(error, '-');
      throw cannotStore();
    }
  }

  /** The number of a key's next batch. No number is used twice. */
  private nextNumber(key: string): number {
    const [, stored = -1] = this.parts.store.table('batch_order').lastKey(key) ?? [];
    const next = (this.numbers.get(key) ?? (stored as number)) + 1;
    this.numbers.set(key, next);
    return next;
  }
}
