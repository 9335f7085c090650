import { type Leaf, type PlanImage, prefixKey } from '../wave/index.js';
import type { HeldPrefix, Sequences } from './held.js';
import type { Entry, Running } from './running.js';

/** Which leaves a stream answers: equal leaves on one prefix are computed once. */
export type Answered<E extends Entry> = Array<{ readonly running: Running<E>; readonly leaf: number }>;

/** A leaf of which a wave has computed a part, or the wave that is being filled will. */
export interface BegunLeaf<E extends Entry> {
  readonly leaf: Leaf;
  /** Those that stand in it, by their numbers. */
  readonly images: readonly PlanImage[];
  readonly sequence: number;
  readonly answered: Answered<E>;
  /** How many of its tokens are computed, or will be by the wave that is being filled. */
  done: number;
}

/**
 * The leaves of one context that are begun. Each has a sequence and the cells of all its tokens from its first
 * chunk to its last, so that it can always go on.
 */
export class BegunLeaves<E extends Entry> {
  private readonly byKey = new Map<string, BegunLeaf<E>>();
  private cellsTaken = 0;

  constructor(private readonly sequences: Sequences) {}

  get cells(): number {
    return this.cellsTaken;
  }

  find(prefix: HeldPrefix, leaf: Leaf, images: readonly PlanImage[]): BegunLeaf<E> | undefined {
    return this.byKey.get(leafKey(prefix, leaf, images));
  }

  begin(prefix: HeldPrefix, leaf: Leaf, images: readonly PlanImage[]): BegunLeaf<E> {
    const begun = { leaf, images, sequence: this.sequences.take(), answered: [], done: 0 };
    this.byKey.set(leafKey(prefix, leaf, images), begun);
    this.cellsTaken += leaf.tokens.length;
    return begun;
  }

  /** Those of a plan that are not whole. */
  of(running: Running<E>): Array<BegunLeaf<E>> {
    return [...this.byKey.values()].filter(
      (begun) => !isWhole(begun) && begun.answered.some((answered) => answered.running === running),
    );
  }

  /** Forgets those that are whole, at the end of their last wave. */
  end(): Array<BegunLeaf<E>> {
    return this.forget(isWhole);
  }

  /** Forgets whom dropped plans asked for and nobody else. */
  release(): Array<BegunLeaf<E>> {
    return this.forget(({ answered }) => answered.every(({ running }) => running.entry.dropped));
  }

  private forget(which: (begun: BegunLeaf<E>) => boolean): Array<BegunLeaf<E>> {
    const forgotten = [...this.byKey].filter(([, begun]) => which(begun));
    for (const [key, { leaf, sequence }] of forgotten) {
      this.byKey.delete(key);
      this.cellsTaken -= leaf.tokens.length;
      this.sequences.give(sequence);
    }
    return forgotten.map(([, begun]) => begun);
  }
}

const isWhole = <E extends Entry>({ leaf, done }: BegunLeaf<E>) => done === leaf.tokens.length;

/** Equal for leaves with the same tokens, images and options on the same prefix. */
function leafKey(prefix: HeldPrefix, { tokens, options }: Leaf, images: readonly PlanImage[]): string {
  const text = (list: Int32Array) =>
    Buffer.from(list.buffer, list.byteOffset, list.byteLength).toString('latin1');
  const shown = images.length === 0 ? text(tokens) : prefixKey(tokens, images);
  return `${prefix.sequence} ${tokens.length} ${shown}${text(options)}`;
}
