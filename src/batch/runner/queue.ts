import type { OpenBatch } from './open-batch.js';

/**
 * Whose line is next: the keys in turn, and of each key its oldest batch that has a line to start. A batch is older
 * than those that were added after it.
 */
export class RunQueue {
  /** By key, the one whose turn it is first. */
  private readonly keys = new Map<string, OpenBatch[]>();

  add(open: OpenBatch): void {
    const batches = this.keys.get(open.batch.key);
    if (batches === undefined) this.keys.set(open.batch.key, [open]);
    else batches.push(open);
  }

  remove(open: OpenBatch): void {
    const left = this.all(open.batch.key).filter((each) => each !== open);
    if (left.length === 0) this.keys.delete(open.batch.key);
    else this.keys.set(open.batch.key, left);
  }

  /** The batches of a key, oldest first. */
  all(key: string): readonly OpenBatch[] {
    return this.keys.get(key) ?? [];
  }

  /** Everything that is open. */
  get batches(): OpenBatch[] {
    return [...this.keys.values()].flat();
  }

  /** The first batch for which `starts` holds, by turn; its key goes behind all others. */
  next(starts: (open: OpenBatch) => boolean): OpenBatch | undefined {
    for (const [key, batches] of [...this.keys]) {
      const found = batches.find(starts);
      if (found === undefined) continue;
      const left = this.keys.get(key);
      if (left !== undefined) {
        this.keys.delete(key);
        this.keys.set(key, left);
      }
      return found;
    }
    return undefined;
  }
}
