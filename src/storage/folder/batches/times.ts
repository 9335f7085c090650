import { nextTurn } from '../../../base/index.js';
import type { Batch } from '../../../batch/index.js';
import type { KeyPart } from '../../../sealing/index.js';
import type { Store } from '../lmdb/store.js';
import type { TableEntry } from '../lmdb/table.js';
import type { FolderWorkBuffer } from './work-buffer.js';

/** Moved rows in one transaction. A charge may have to wait for it. */
const MOVED_MAX = 1_000;

/** A jump of the calendar whose stored times are still being moved. */
interface Jump {
  readonly ms: number;
  /** When this process began to write, by the calendar before the jump. */
  readonly since: number;
  /** Names of the times that were written after the jump, by the new calendar. */
  readonly fresh: Set<string>;
}

/**
 * The times this process has stored: when batches finished and were collected, and when idempotency keys were used.
 * They decide what is deleted. When the calendar jumps they move with it, so that the age of everything stays the same;
 * times of earlier processes keep their values. Open batches have a `Deadline` instead.
 *
 * Moving visits every batch, in turns of the event loop. Until it has ended, nothing is deleted and no idempotency key
 * expires (`isMoving`), and a deletion run that began before the jump stops (`jumps`).
 */
export class BatchTimes {
  /** How often the calendar has jumped. */
  jumps = 0;
  private readonly pending = new Set<Jump>();
  private moving: Promise<void> = Promise.resolve();

  /** `since`: when this process began to write, by its calendar. */
  constructor(
    private readonly store: Store,
    private readonly buffer: FolderWorkBuffer,
    private since: number,
  ) {}

  /** Whether some times are still by an earlier calendar. */
  get isMoving(): boolean {
    return this.pending.size > 0;
  }

  /**
   * Marks a time that was just read from the clock and stored, so that a jump in progress does not move it. Call it in the
   * turn in which the clock was read, before it is read again.
   */
  stamped(...name: readonly KeyPart[]): void {
    for (const { fresh } of this.pending) fresh.add(nameOf(name));
  }

  /**
   * Call it when the calendar has jumped by `ms`. Resolves when every time has moved, but those of damaged rows. Rejects with
   * StoreError if a table cannot be read.
   */
  move(ms: number): Promise<void> {
    const jump: Jump = { ms, since: this.since, fresh: new Set() };
    this.jumps += 1;
    this.since += ms;
    this.pending.add(jump);
    const moved = this.moving.then(() => this.run(jump));
    this.moving = moved.catch(() => {});
    return moved;
  }

  /** Resolves when nothing is being moved. */
  settled(): Promise<void> {
    return this.moving;
  }

  private async run(jump: Jump): Promise<void> {
    try {
      // Writes follow each other: after this one, what was stamped before the jump is on the disk, where it is found.
      await this.store.write([]).catch(() => {});
      await this.moveSubmissions(jump);
      await this.moveBatches(jump);
    } finally {
      this.pending.delete(jump);
    }
  }

  private async moveBatches(jump: Jump): Promise<void> {
    let count = 0;
    for await (const { value } of this.store.table('batches').checkedInTurns()) {
      if (value === null) continue;
      const { id } = value;
      // Read and put in one turn, so that no other change is undone.
      const batch = this.buffer.get(id);
      if (batch === undefined || batch.deleted) continue;
      const moved = (instant: number | null, name: string) =>
        instant === null ? null : movedBy(jump, instant, [id, name]);
      const next: Batch = {
        ...batch,
        finished: moved(batch.finished, 'finished'),
        collected: moved(batch.collected, 'collected'),
      };
      if (next.finished === batch.finished && next.collected === batch.collected) continue;
      this.buffer.put(next);
      count += 1;
      // If the disk refuses them, the buffer keeps them and tries again.
      if (count % MOVED_MAX === 0) await this.buffer.flush().then(nextTurn, nextTurn);
    }
  }

  private async moveSubmissions(jump: Jump): Promise<void> {
    const table = this.store.table('submissions');
    let rows: Array<TableEntry<'submissions'>> = [];
    const write = async () => {
      // A key that was used again since it was read has a new row on its way to the disk: do not overwrite that.
      const writes = rows.flatMap(({ key, value }) => {
        const at = movedBy(jump, value.at, key);
        return at === value.at ? [] : [table.write(key, { ...value, at })];
      });
      rows = [];
      // If the disk refuses them, the buffer keeps them and tries again.
      if (writes.length > 0) await this.store.write(writes).catch(() => this.buffer.write(...writes));
    };
    for await (const { key, value } of table.checkedInTurns()) {
      if (value !== null && value.at >= jump.since) rows.push({ key, value });
      if (rows.length === MOVED_MAX) await write();
    }
    await write();
  }
}

/** The instant after a jump, unless it was written by an earlier process, or after the jump. */
function movedBy({ ms, since, fresh }: Jump, instant: number, name: readonly KeyPart[]): number {
  return instant >= since && !fresh.has(nameOf(name)) ? instant + ms : instant;
}

const nameOf = (parts: readonly KeyPart[]) => parts.join('\0');
