import { imageAt } from '../profile/image-tokens.js';
import type { Copy, Phase, Stream, WaveImage } from '../wave/task.js';
import { type PlanImage, runEnd, textEnd } from '../wave/wave-images.js';
import type { Embeddings } from './embeddings.js';
import type { Answered, CachedPrefix, Entry, PartialPrefill } from './scheduler-types.js';

/** The part of a suffix that a wave computes. */
export interface SuffixChunk<E extends Entry> {
  readonly partial: PartialPrefill<E>;
  readonly start: number;
  readonly end: number;
}

interface PhaseParts<E extends Entry> {
  readonly copies: Copy[];
  readonly streams: Stream[];
  /** By stream that has a result: the suffixes it answers. */
  readonly answered: Array<Readonly<Answered<E>>>;
}

const emptyPhase = <E extends Entry>(): PhaseParts<E> => ({ copies: [], streams: [], answered: [] });

/** Writes what a wave computes as phases: each holds what can go in one decode. */
export class WaveWriter<E extends Entry> {
  private readonly head = emptyPhase<E>();
  private readonly first = emptyPhase<E>();
  /** Suffixes that start on a copy of a prefix, after the wave has extended it. */
  private readonly second = emptyPhase<E>();
  /** Prefixes of which this wave computes a part. */
  private readonly growing = new Set<CachedPrefix>();

  private readonly attached: WaveImage[] = [];
  /** The index in `attached` of each image, by its key. */
  private readonly indexes = new Map<string, number>();

  constructor(
    /** See `COUPLED_PRODUCT_MAX`. */
    private readonly coupledProductMax: number,
    private readonly embeddings: Embeddings,
  ) {}

  /** Whether the wave has nothing to do. */
  get isEmpty(): boolean {
    return [this.head, this.first, this.second].every(
      ({ copies, streams }) => copies.length + streams.length === 0,
    );
  }

  hasAttached({ key }: PlanImage): boolean {
    return this.indexes.has(key);
  }

  /** Adds an image that streams of the wave refer to. The wave encodes it first if its embedding is not known. */
  attach(image: PlanImage): void {
    if (this.hasAttached(image)) return;
    const { key, width, height, rgb } = image;
    const known = this.embeddings.find(key);
    this.indexes.set(key, this.attached.length);
    this.attached.push(
      known === undefined
        ? { embedding: this.embeddings.allocate(image), pixels: { width, height, rgb } }
        : { embedding: known, pixels: null },
    );
  }

  get images(): readonly WaveImage[] {
    return this.attached;
  }

  /** The embeddings that the wave computes, by the keys of their images. */
  get encoded(): Map<string, Float32Array> {
    const images = [...this.indexes].map(([key, index]) => [key, this.attached[index] as WaveImage] as const);
    return new Map(
      images.filter(([, { pixels }]) => pixels !== null).map(([key, { embedding }]) => [key, embedding]),
    );
  }

  addHead({ tokens, sequence }: CachedPrefix): void {
    this.head.streams.push({ tokens, position: 0, sequences: [sequence] });
  }

  copyHead(head: CachedPrefix, to: CachedPrefix): void {
    this.first.copies.push({ from: head.sequence, to: to.sequence });
  }

  /** Adds a prefix's tokens from `start` to `prefix.done`, possibly none, and chunks of suffixes behind them. */
  add(prefix: CachedPrefix, start: number, chunks: ReadonlyArray<SuffixChunk<E>>): void {
    const tokens = prefix.done - start;
    const sequences = chunks.filter((chunk) => chunk.start === 0).map(({ partial }) => partial.sequence);
    const coupled = tokens * (sequences.length + 1) <= this.coupledProductMax && !this.growing.has(prefix);
    const phase = coupled ? this.first : this.second;
    if (!coupled || start > 0) for (const to of sequences) phase.copies.push({ from: prefix.sequence, to });
    if (tokens > 0) {
      this.growing.add(prefix);
      const carried = coupled ? [prefix.sequence, ...sequences] : [prefix.sequence];
      this.first.streams.push(...this.streamsOf(prefix, start, prefix.done, 0, carried));
    }
    for (const chunk of chunks) this.addSuffix(phase, prefix.tokens.length, chunk);
  }

  /** Only the last chunk of a suffix has a result. */
  private addSuffix(
    phase: PhaseParts<E>,
    prefixTokens: number,
    { partial, start, end }: SuffixChunk<E>,
  ): void {
    const { suffix, images, sequence, answered } = partial;
    const { tokens, options } = suffix;
    const streams = this.streamsOf({ tokens, images }, start, end, prefixTokens, [sequence]);
    const last = streams.pop() as Stream;
    const complete = end === tokens.length;
    phase.streams.push(...streams, complete ? { ...last, options } : last);
    if (complete) phase.answered.push(answered);
  }

  /** A part of a list, split at its images. `first`: the position of the list's first token in its sequences. */
  private streamsOf(
    { tokens, images }: Pick<CachedPrefix, 'tokens' | 'images'>,
    start: number,
    end: number,
    first: number,
    sequences: readonly number[],
  ): Stream[] {
    if (images.length === 0)
      return [{ tokens: tokens.subarray(start, end), position: first + start, sequences }];
    const streams: Stream[] = [];
    for (let at = start; at < end; ) {
      const image = images[imageAt(tokens[at] as number)];
      const to = image === undefined ? textEnd(tokens, at, end) : runEnd(tokens, at);
      const stream = { tokens: tokens.subarray(at, to), position: first + at, sequences };
      streams.push(
        image === undefined ? stream : { ...stream, image: this.indexes.get(image.key) as number },
      );
      at = to;
    }
    return streams;
  }

  /** The phases that have work. `removals`: sequences to remove before the first one. */
  phases(removals: readonly number[]): Phase[] {
    return [this.head, this.first, this.second]
      .filter(({ copies, streams }) => copies.length + streams.length > 0)
      .map(({ copies, streams }, index) => ({ removals: index === 0 ? removals : [], copies, streams }));
  }

  /** Per result of the wave: the suffixes it answers. */
  get answered(): Array<Readonly<Answered<E>>> {
    return [...this.first.answered, ...this.second.answered];
  }
}
