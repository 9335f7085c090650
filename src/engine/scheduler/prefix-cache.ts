import type { PlanImage } from '../wave/wave-images.js';
import type { WaveBounds } from '../wave/wave-types.js';
import type { IdleBudget } from './idle-budget.js';
import type { CachedPrefix } from './scheduler-types.js';

/** The free sequences of one context. */
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

/** A cached prefix with the fields that only the KV cache uses. */
export interface OwnPrefix extends CachedPrefix {
  images: readonly PlanImage[];
  done: number;
  /** Running plans that need it. */
  users: number;
  /** The last wave that used it. */
  lastWave: number;
}

/**
 * The prefixes in a context, by key. A prefix without users stays until its cells or its sequence are needed, so that
 * the next request about the same state finds it, as far as the budget allows (see `IdleBudget`). The least recently used
 * one goes first.
 *
 * Measured with `npm run bench:cache` on states of 1,500 tokens with short requests between them: a cache that always
 * keeps 4,096 cells makes waves 3.4 times faster if 90 % of the states repeat and 1.6 times at 50 %. If none repeats it
 * costs 9 % on a model so small that attention is most of its work, because attention scans the cached cells and skips
 * them; hence the budget. Rejected: saving states to memory (4.5 GB for 5,000 tokens of a 31B model, slower than
 * computing them again), and a tree of partly equal prefixes (requests share a whole state, or only the head, which has
 * its own entry).
 */
export class PrefixCache {
  private readonly byKey = new Map<string, OwnPrefix>();
  private cellsUsed = 0;

  constructor(
    private readonly bounds: WaveBounds,
    private readonly sequences: Sequences,
    /** Bounds the cells of prefixes without users; at 0 a prefix is evicted when its last user ends. */
    private readonly budget: Pick<IdleBudget, 'cells'>,
  ) {}

  /** Cells of all prefixes. */
  get cells(): number {
    return this.cellsUsed;
  }

  find(key: string): OwnPrefix | undefined {
    return this.byKey.get(key);
  }

  add(key: string, tokens: Int32Array, images: readonly PlanImage[] = []): OwnPrefix {
    const sequence = this.sequences.take();
    const prefix = { key, tokens, images, sequence, done: 0, users: 0, lastWave: 0 };
    this.byKey.set(key, prefix);
    this.cellsUsed += tokens.length;
    return prefix;
  }

  /** Evicts idle prefixes, other than `keep`, until enough cells and sequences are free; returns the sequences freed. */
  makeRoom(cells: number, sequences: number, keep?: CachedPrefix): number[] {
    const removed: number[] = [];
    for (const prefix of this.idle()) {
      if (this.bounds.cells - this.cellsUsed >= cells && this.sequences.left >= sequences) break;
      if (prefix !== keep) removed.push(this.evict(prefix));
    }
    return removed;
  }

  /** Evicts idle prefixes until they are within their budget; returns the sequences freed. */
  trim(): number[] {
    const idle = this.idle();
    let cells = idle.reduce((sum, { tokens }) => sum + tokens.length, 0);
    const cellsMax = cells === 0 ? 0 : this.budget.cells;
    const removed: number[] = [];
    for (const prefix of idle) {
      if (cells <= cellsMax) break;
      cells -= prefix.tokens.length;
      removed.push(this.evict(prefix));
    }
    return removed;
  }

  /** Prefixes without users, least recently used first. */
  private idle(): OwnPrefix[] {
    return [...this.byKey.values()]
      .filter(({ users }) => users === 0)
      .sort((a, b) => a.lastWave - b.lastWave);
  }

  private evict(prefix: OwnPrefix): number {
    this.byKey.delete(prefix.key);
    this.cellsUsed -= prefix.tokens.length;
    this.sequences.give(prefix.sequence);
    return prefix.sequence;
  }
}
