import { type PlanImage, prefixKey, type Suffix } from '../wave/index.js';
import type { CachedPrefix, Sequences } from './prefix-cache.js';
import type { Entry, Running } from './running.js';

/** Which suffixes a stream answers: equal suffixes on one prefix are computed once. */
export type Answered<E extends Entry> = Array<{ readonly running: Running<E>; readonly suffix: number }>;

/** A suffix of which a wave has computed a part, or the wave that is being filled will. */
export interface PartialPrefill<E extends Entry> {
  readonly suffix: Suffix;
  /** Those that stand in it, by their numbers. */
  readonly images: readonly PlanImage[];
  readonly sequence: number;
  readonly answered: Answered<E>;
  /** How many of its tokens are computed, or will be by the wave that is being filled. */
  done: number;
}

/**
 * The partly computed suffixes of one context. Each has a sequence and the cells of all its tokens from its first
 * chunk to its last, so that it can always go on.
 */
export class PartialPrefills<E extends Entry> {
  private readonly byKey = new Map<string, PartialPrefill<E>>();
  private cellsTaken = 0;

  constructor(private readonly sequences: Sequences) {}

  get cells(): number {
    return this.cellsTaken;
  }

  find(prefix: CachedPrefix, suffix: Suffix, images: readonly PlanImage[]): PartialPrefill<E> | undefined {
    return this.byKey.get(suffixKey(prefix, suffix, images));
  }

  begin(prefix: CachedPrefix, suffix: Suffix, images: readonly PlanImage[]): PartialPrefill<E> {
    const partial = { suffix, images, sequence: this.sequences.take(), answered: [], done: 0 };
    this.byKey.set(suffixKey(prefix, suffix, images), partial);
    this.cellsTaken += suffix.tokens.length;
    return partial;
  }

  /** Those of a plan that are not whole. */
  of(running: Running<E>): Array<PartialPrefill<E>> {
    return [...this.byKey.values()].filter(
      (partial) => !isWhole(partial) && partial.answered.some((answered) => answered.running === running),
    );
  }

  /** Forgets those that are whole, at the end of their last wave. */
  end(): Array<PartialPrefill<E>> {
    return this.forget(isWhole);
  }

  /** Forgets whom dropped plans asked for and nobody else. */
  release(): Array<PartialPrefill<E>> {
    return this.forget(({ answered }) => answered.every(({ running }) => running.entry.dropped));
  }

  private forget(which: (partial: PartialPrefill<E>) => boolean): Array<PartialPrefill<E>> {
    const forgotten = [...this.byKey].filter(([, partial]) => which(partial));
    for (const [key, { suffix, sequence }] of forgotten) {
      this.byKey.delete(key);
      this.cellsTaken -= suffix.tokens.length;
      this.sequences.give(sequence);
    }
    return forgotten.map(([, partial]) => partial);
  }
}

const isWhole = <E extends Entry>({ suffix, done }: PartialPrefill<E>) => done === suffix.tokens.length;

/** Equal for suffixes with the same tokens, images and options on the same prefix. */
function suffixKey(prefix: CachedPrefix, { tokens, options }: Suffix, images: readonly PlanImage[]): string {
  const text = (list: Int32Array) =>
    Buffer.from(list.buffer, list.byteOffset, list.byteLength).toString('latin1');
  const shown = images.length === 0 ? text(tokens) : prefixKey(tokens, images);
  return `${prefix.sequence} ${tokens.length} ${shown}${text(options)}`;
}
