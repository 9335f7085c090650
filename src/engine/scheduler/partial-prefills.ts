import { type PlanImage, prefixKey } from '../wave/wave-images.js';
import type { Suffix } from '../wave/wave-types.js';
import type { Sequences } from './prefix-cache.js';
import type { Answered, CachedPrefix, Entry, PartialPrefill, Running } from './scheduler-types.js';

/** A partial prefill with the fields that only the KV cache uses. */
export interface OwnPartial<E extends Entry> extends PartialPrefill<E> {
  readonly answered: Answered<E>;
  done: number;
}

/**
 * The suffixes that have cells of a context. Each keeps a sequence and the cells of all its tokens from its first chunk
 * to its last, so that it can always continue.
 */
export class PartialPrefills<E extends Entry> {
  private readonly byKey = new Map<string, OwnPartial<E>>();
  private cellsUsed = 0;

  constructor(private readonly sequences: Sequences) {}

  /** Cells of all partial prefills. */
  get cells(): number {
    return this.cellsUsed;
  }

  find(prefix: CachedPrefix, suffix: Suffix, images: readonly PlanImage[]): OwnPartial<E> | undefined {
    return this.byKey.get(suffixKey(prefix, suffix, images));
  }

  add(prefix: CachedPrefix, suffix: Suffix, images: readonly PlanImage[]): OwnPartial<E> {
    const partial = { suffix, images, sequence: this.sequences.take(), answered: [], done: 0 };
    this.byKey.set(suffixKey(prefix, suffix, images), partial);
    this.cellsUsed += suffix.tokens.length;
    return partial;
  }

  /** The incomplete suffixes of a plan. */
  of(running: Running<E>): Array<OwnPartial<E>> {
    return [...this.byKey.values()].filter(
      (partial) => !isComplete(partial) && partial.answered.some((answered) => answered.running === running),
    );
  }

  /** Removes the complete ones. */
  removeComplete(): Array<OwnPartial<E>> {
    return this.remove(isComplete);
  }

  /** Removes those needed by dropped plans only. */
  removeDropped(): Array<OwnPartial<E>> {
    return this.remove(({ answered }) => answered.every(({ running }) => running.entry.dropped));
  }

  private remove(which: (partial: OwnPartial<E>) => boolean): Array<OwnPartial<E>> {
    const removed = [...this.byKey].filter(([, partial]) => which(partial));
    for (const [key, { suffix, sequence }] of removed) {
      this.byKey.delete(key);
      this.cellsUsed -= suffix.tokens.length;
      this.sequences.give(sequence);
    }
    return removed.map(([, partial]) => partial);
  }
}

const isComplete = <E extends Entry>({ suffix, done }: PartialPrefill<E>) => done === suffix.tokens.length;

/** Equal for suffixes with the same tokens, images and options on the same prefix. */
function suffixKey(prefix: CachedPrefix, { tokens, options }: Suffix, images: readonly PlanImage[]): string {
  const bytes = (list: Int32Array) =>
    Buffer.from(list.buffer, list.byteOffset, list.byteLength).toString('latin1');
  const content = images.length === 0 ? bytes(tokens) : prefixKey(tokens, images);
  return `${prefix.sequence} ${tokens.length} ${content}${bytes(options)}`;
}
