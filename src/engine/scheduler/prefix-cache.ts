import type { PlanImage, WaveBounds } from '../wave/index.js';

/** The sequences of one context that nobody uses. */
export class Sequences {
  private readonly free: number[];

  constructor(count: number) {
    this.free = Array.from({ length: count }, (_, index) => count - 1 - index);
  }

  get left(): number {
    return this.free.length;
  }

  take(): number {
    const sequence = this.free.pop();
    if (sequence === undefined) throw new Error('no sequence is free');
    return sequence;
  }

  give(sequence: number): void {
    this.free.push(sequence);
  }
}

/** A prefix whose cells a context holds, or is about to. */
export interface CachedPrefix {
  readonly key: string;
  readonly tokens: Int32Array;
  /** Those that stand in it, by their numbers; none once it is whole, so that their pixels do not wait with it. */
  images: readonly PlanImage[];
  readonly sequence: number;
  /** How many of its tokens are computed, or will be by the wave that is being filled. */
  done: number;
  /** Plans that still need it. */
  users: number;
  /** The wave that used it last; the longest unused prefix is forgotten first. */
  lastWave: number;
}

/**
 * What one context holds between waves: prefixes, by key. A prefix without users stays until its cells or its
 * sequence are wanted, so that the next request about the same state finds it.
 *
 * It pays: on states of 1,500 tokens with short requests between, keeping them is 3.4 times faster where 90 %
 * of the states repeat and 1.6 times at 50 %; where none does it costs 9 % on a model so small that attention
 * is most of its work (`npm run bench:cache`), since kept cells are looked at and skipped. Rejected: states
 * saved to memory (4.5 GB for 5,000 tokens of a 31B model, slower than computing them again), and a tree of
 * partly equal prefixes: requests share a whole state, or only the head, which is held for all.
 */
export class PrefixCache {
  private readonly byKey = new Map<string, CachedPrefix>();
  private cellsHeld = 0;

  constructor(
    private readonly bounds: WaveBounds,
    private readonly sequences: Sequences,
    /** Most cells of prefixes that nobody uses; 0 forgets each with its last user. */
    private readonly idleCellsMax: number,
  ) {}

  get cells(): number {
    return this.cellsHeld;
  }

  find(key: string): CachedPrefix | undefined {
    return this.byKey.get(key);
  }

  add(key: string, tokens: Int32Array, images: readonly PlanImage[] = []): CachedPrefix {
    const sequence = this.sequences.take();
    const prefix = { key, tokens, images, sequence, done: 0, users: 0, lastWave: 0 };
    this.byKey.set(key, prefix);
    this.cellsHeld += tokens.length;
    return prefix;
  }

  /** Forgets idle prefixes until so many cells and sequences are free; returns the sequences to remove. */
  makeRoom(cells: number, sequences: number, keep?: CachedPrefix): number[] {
    const removed: number[] = [];
    for (const prefix of this.idle()) {
      if (this.bounds.cells - this.cellsHeld >= cells && this.sequences.left >= sequences) break;
      if (prefix !== keep) removed.push(this.forget(prefix));
    }
    return removed;
  }

  /** Forgets the longest unused prefixes over the bound of idle cells; returns the sequences to remove. */
  trim(): number[] {
    const idle = this.idle();
    let cells = idle.reduce((sum, { tokens }) => sum + tokens.length, 0);
    const removed: number[] = [];
    for (const prefix of idle) {
      if (cells <= this.idleCellsMax) break;
      cells -= prefix.tokens.length;
      removed.push(this.forget(prefix));
    }
    return removed;
  }

  private idle(): CachedPrefix[] {
    return [...this.byKey.values()]
      .filter(({ users }) => users === 0)
      .sort((a, b) => a.lastWave - b.lastWave);
  }

  private forget(prefix: CachedPrefix): number {
    this.byKey.delete(prefix.key);
    this.cellsHeld -= prefix.tokens.length;
    this.sequences.give(prefix.sequence);
    return prefix.sequence;
  }
}
