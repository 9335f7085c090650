import type { OpenBatch } from './open-batch.js';

/**
 * Whether a batch's next line may start. `reads`: when it has been read, which takes a moment, in which nobody goes
 * before it. `rests`: not before its key is woken.
 */
export type Readiness = 'now' | 'no_room' | 'reads' | 'rests';

/** Most lines of one state that a key starts in one turn. */
const SHARED_TURN_LINES_MAX = 64;

/**
 * Whose line is next: the keys in turn, and of each key its oldest batch that has a line to start. A batch is older
 * than those that were added after it. Keys of which nothing can start are passed over until they are woken, so that
 * a line is found among many batches that wait for credit.
 */
export class RunQueue {
  private readonly byId = new Map<string, OpenBatch>();
  private readonly keys = new Map<string, OpenBatch[]>();
  /** How many batches name a model. */
  private readonly named = new Map<string, number>();
  /** The keys of which something may start, the one whose turn it is first. */
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

  /** Everything that is open. */
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

  /** Something of a key may be able to start. */
  wake(key: string): void {
    if (this.keys.has(key)) this.turns.add(key);
  }

  /** The batch whose line is next. Tell `passTurn` when that is taken. */
  next(readiness: (open: OpenBatch) => Readiness): OpenBatch | undefined {
    for (const key of this.turns) {
      let rests = true;
      for (const open of this.all(key)) {
        const ready = readiness(open);
        if (ready === 'now') return open;
        if (ready === 'reads') return undefined;
        if (ready === 'no_room') rests = false;
      }
      if (rests) this.turns.delete(key);
    }
    return undefined;
  }

  /** The key of a batch whose line was taken goes behind all others, unless the next line shares the state of that. */
  passTurn({ batch: { key }, nextSharesState }: OpenBatch): void {
    if (this.turn.key !== key) this.turn = { key, lines: 0 };
    this.turn.lines += 1;
    if (nextSharesState && this.turn.lines < SHARED_TURN_LINES_MAX) return;
    this.turn.lines = 0;
    if (this.turns.delete(key)) this.turns.add(key);
  }
}
