import type { OpenBatch } from './open-batch.js';

/**
 * Whether the next line of a batch may start:
 *
 * - `now`: it may.
 * - `no_room`: its model has no room; lines of other batches may start.
 * - `reads`: it is being read, which takes a moment; no other line starts meanwhile.
 * - `alone`: it must run alone, and another line is in progress; no other line starts meanwhile.
 * - `blocked`: not before `wake` is called for its key.
 */
export type Readiness = 'now' | 'no_room' | 'reads' | 'alone' | 'blocked';

/** Maximum number of lines with the same state that a key starts in one turn. */
const SHARED_TURN_LINES_MAX = 64;

/**
 * Selects the next line: keys take turns, and within a key the oldest batch that has a line to start goes first. Batches
 * are as old as the order in which they were added. A key with nothing to start is skipped until it is woken, so that
 * finding a line among many batches that wait for credit stays cheap.
 */
export class RunQueue {
  private readonly byId = new Map<string, OpenBatch>();
  private readonly keys = new Map<string, OpenBatch[]>();
  /** How many open batches name each model. */
  private readonly named = new Map<string, number>();
  /** The keys that may have a line to start, in the order of their turns. */
  private readonly turns = new Set<string>();
  private turn = { key: '', lines: 0 };

  add(open: OpenBatch): void {
    const { id, key, models } = open.batch;
    this.byId.set(id, open);
    this.keys.set(key, [...this.all(key), open]);
    for (const model of models) this.named.set(model, (this.named.get(model) ?? 0) + 1);
    this.wake(key);
  }

  remove(open: OpenBatch): void {
    const { id, key, models } = open.batch;
    if (!this.byId.delete(id)) return;
    const left = this.all(key).filter((each) => each !== open);
    if (left.length > 0) this.keys.set(key, left);
    else {
      this.keys.delete(key);
      this.turns.delete(key);
    }
    for (const model of models) {
      const count = (this.named.get(model) as number) - 1;
      if (count === 0) this.named.delete(model);
      else this.named.set(model, count);
    }
  }

  find(id: string): OpenBatch | undefined {
    return this.byId.get(id);
  }

  /** The batches of a key, oldest first. */
  all(key: string): readonly OpenBatch[] {
    return this.keys.get(key) ?? [];
  }

  /** All open batches. */
  get batches(): OpenBatch[] {
    return [...this.byId.values()];
  }

  get size(): number {
    return this.byId.size;
  }

  /** The models that open batches name. */
  get models(): string[] {
    return [...this.named.keys()];
  }

  /** How many open batches name each of them. */
  get namedCounts(): ReadonlyMap<string, number> {
    return this.named;
  }

  /** A line of the key may be able to start now. */
  wake(key: string): void {
    if (this.keys.has(key)) this.turns.add(key);
  }

  /** The batch with the next line. Call `passTurn` when the line has been taken. */
  next(readiness: (open: OpenBatch) => Readiness): OpenBatch | undefined {
    for (const key of this.turns) {
      let rests = true;
      for (const open of this.all(key)) {
        const ready = readiness(open);
        if (ready === 'now') return open;
        if (ready === 'reads' || ready === 'alone') return undefined;
        if (ready === 'no_room') rests = false;
      }
      if (rests) this.turns.delete(key);
    }
    return undefined;
  }

  /** Ends the turn of the batch's key after a line was taken, unless the next line has the same state. */
  passTurn({ batch: { key }, nextSharesState }: OpenBatch): void {
    if (this.turn.key !== key) this.turn = { key, lines: 0 };
    this.turn.lines += 1;
    if (nextSharesState && this.turn.lines < SHARED_TURN_LINES_MAX) return;
    this.turn.lines = 0;
    if (this.turns.delete(key)) this.turns.add(key);
  }
}
