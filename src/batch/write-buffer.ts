import type { Access, FlushPart, TakenWrites } from '../access/index.js';
import type { RawWrite, Store } from '../store/index.js';
import type { Batch } from './lifecycle/transitions.js';

/**
 * What batches change, on its way to the disk: it is written with the charges, in the ledger's transaction, so that a
 * line's result, its charge and its batch's counts are there together or not at all.
 */
export class WriteBuffer implements FlushPart {
  /** Batches that are on the disk in an older state, or not at all. */
  private readonly changed = new Map<string, Batch>();
  private dirty = new Set<string>();
  private writes: RawWrite[] = [];

  constructor(
    private readonly store: Store,
    private readonly access: Pick<Access, 'join' | 'changed' | 'flush'>,
  ) {
    access.join(this);
  }

  /** A batch as it is now. */
  get(id: string): Batch | undefined {
    return this.changed.get(id) ?? this.store.table('batches').get(id);
  }

  /** The batches of a key whose state on the disk is an older one. */
  newer(key: string): Batch[] {
    return [...this.changed.values()].filter((batch) => batch.key === key);
  }

  /** Keeps a batch's new state, and further writes that belong to it. */
  put(batch: Batch, ...writes: readonly RawWrite[]): void {
    this.changed.set(batch.id, batch);
    this.dirty.add(batch.id);
    this.write(...writes);
  }

  write(...writes: readonly RawWrite[]): void {
    this.writes.push(...writes);
    this.access.changed();
  }

  /** Everything put so far is on the disk when it resolves. Rejects with what the store says; it is tried again. */
  flush(): Promise<void> {
    return this.access.flush();
  }

  take(): TakenWrites {
    const { dirty, writes } = this;
    this.dirty = new Set();
    this.writes = [];
    const table = this.store.table('batches');
    const rows = [...dirty].map((id) => table.write([id], this.changed.get(id) as Batch));
    return {
      writes: [...writes, ...rows],
      written: () => {
        for (const id of dirty) if (!this.dirty.has(id)) this.changed.delete(id);
      },
      lost: () => {
        for (const id of dirty) this.dirty.add(id);
        this.writes = [...writes, ...this.writes];
      },
    };
  }
}
