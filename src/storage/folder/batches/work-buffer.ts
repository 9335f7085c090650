import type { AuditEntry } from '../../../access/index.js';
import type { Batch, BatchTasks, BatchWork, LineResult } from '../../../batch/index.js';
import type { FolderAccess } from '../ledger/folder-access.js';
import type { LedgerPart, TakenChanges } from '../ledger/part.js';
import type { Store } from '../lmdb/store.js';
import type { RawWrite } from '../lmdb/writes.js';
import type { FolderStoredBytes } from './stored-bytes.js';

/**
 * Collects the changes of batches until the ledger writes them in its next transaction. So a line's result, its charge
 * and its batch's counts are on the disk together or not at all.
 */
export class FolderWorkBuffer implements LedgerPart, BatchWork {
  /** Batches whose state on the disk is older than this, or missing. */
  private readonly changed = new Map<string, Batch>();
  private dirty = new Set<string>();
  private writes: RawWrite[] = [];
  private entries: AuditEntry[] = [];

  constructor(
    private readonly store: Store,
    private readonly access: Pick<FolderAccess, 'join' | 'changed' | 'flush'>,
    private readonly storage: Pick<FolderStoredBytes, 'note'>,
    private readonly tasks: Pick<BatchTasks, 'keep'>,
  ) {
    access.join(this);
  }

  /** The current state of a batch. */
  get(id: string): Batch | undefined {
    return this.changed.get(id) ?? this.store.table('batches').get(id);
  }

  /** The batches of a key whose state on the disk is older. */
  newer(key: string): Batch[] {
    return [...this.changed.values()].filter((batch) => batch.key === key);
  }

  /** Adds a batch's new state, and further writes for the same transaction. */
  put(batch: Batch, ...writes: readonly RawWrite[]): void {
    this.changed.set(batch.id, batch);
    this.dirty.add(batch.id);
    this.storage.note(batch);
    this.write(...writes);
  }

  putResult(batch: Batch, { line, sealed, kept }: LineResult): void {
    this.put(batch, this.store.table('batch_results').write([batch.id, line], sealed));
    // It joins the same transaction: a line that runs again after a crash has no answer yet.
    if (kept !== null) this.tasks.keep(kept);
  }

  /** Removes what only an open batch needs. */
  removeLines({ id, chunks, lines }: Batch): void {
    this.write(
      this.store.table('batch_lines').removal([id, 0], [id, chunks]),
      this.store.table('batch_aborts').removal([id, 0], [id, lines]),
    );
  }

  write(...writes: readonly RawWrite[]): void {
    this.writes.push(...writes);
    this.access.changed();
  }

  /** Adds an entry to the audit log, in the transaction of what was put in the same turn of the event loop. */
  audit(entry: AuditEntry): void {
    this.entries.push(entry);
    this.access.changed();
  }

  /** Resolves when everything put so far is on the disk. If it rejects, with StoreError, the buffer will try again. */
  flush(): Promise<void> {
    return this.access.flush();
  }

  take(): TakenChanges {
    const { dirty, writes, entries } = this;
    this.dirty = new Set();
    this.writes = [];
    this.entries = [];
    const table = this.store.table('batches');
    const rows = [...dirty].map((id) => table.write([id], this.changed.get(id) as Batch));
    return {
      writes: [...writes, ...rows],
      entries,
      written: () => {
        for (const id of dirty) if (!this.dirty.has(id)) this.changed.delete(id);
      },
      lost: () => {
        for (const id of dirty) this.dirty.add(id);
        this.writes = [...writes, ...this.writes];
        this.entries = [...entries, ...this.entries];
      },
    };
  }
}
