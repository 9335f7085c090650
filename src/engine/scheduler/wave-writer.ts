import { imageAt } from '../profile/index.js';
import {
  type Copy,
  type Phase,
  type PlanImage,
  runEnd,
  type Stream,
  textEnd,
  type WaveImage,
} from '../wave/index.js';
import type { Embeddings } from './embeddings.js';
import type { Answered, PartialPrefill } from './partial-prefills.js';
import type { CachedPrefix } from './prefix-cache.js';
import type { Entry } from './running.js';

/** The part of a suffix that a wave computes. */
export interface Piece<E extends Entry> {
  readonly partial: PartialPrefill<E>;
  readonly start: number;
  readonly end: number;
}

interface PhaseParts<E extends Entry> {
  readonly copies: Copy[];
  readonly streams: Stream[];
  /** Who gets the result of each stream that has one. */
  readonly answered: Array<Answered<E>>;
}

const emptyPhase = <E extends Entry>(): PhaseParts<E> => ({ copies: [], streams: [], answered: [] });

/** Writes what a wave takes as phases: what can go in one decode, and what has to follow in another. */
export class WaveWriter<E extends Entry> {
  private readonly head = emptyPhase<E>();
  private readonly first = emptyPhase<E>();
  /** Suffixes on copies of a prefix that grows in this wave. */
  private readonly second = emptyPhase<E>();
  /** Prefixes of which this wave computes a part. */
  private readonly growing = new Set<CachedPrefix>();

  private readonly shown: WaveImage[] = [];
  /** Where each image, by its key, stands among those shown. */
  private readonly places = new Map<string, number>();

  constructor(
    /** Most tokens × sequences of a prefix's chunk that carries the sequences of its suffixes. */
    private readonly coupledProductMax: number,
    private readonly embeddings: Embeddings,
  ) {}

  shows({ key }: PlanImage): boolean {
    return this.places.has(key);
  }

  /** Whatever follows shows the image; before all, it is encoded where its embedding is not there. */
  show(image: PlanImage): void {
    if (this.shows(image)) return;
    const { key, width, height, rgb } = image;
    const known = this.embeddings.find(key);
    this.places.set(key, this.shown.length);
    this.shown.push(
      known === undefined
        ? { embedding: this.embeddings.room(image), pixels: { width, height, rgb } }
        : { embedding: known, pixels: null },
    );
  }

  get images(): readonly WaveImage[] {
    return this.shown;
  }

  /** What the wave encodes, by the images' keys. */
  get encoded(): Map<string, Float32Array> {
    const fresh = [...this.places].map(([key, place]) => [key, this.shown[place] as WaveImage] as const);
    return new Map(
      fresh.filter(([, { pixels }]) => pixels !== null).map(([key, { embedding }]) => [key, embedding]),
    );
  }

  addHead({ tokens, sequence }: CachedPrefix): void {
    this.head.streams.push({ tokens, position: 0, sequences: [sequence] });
  }

  copyHead(head: CachedPrefix, to: CachedPrefix): void {
    this.first.copies.push({ from: head.sequence, to: to.sequence });
  }

  /** A prefix's tokens from `start` on, none where it was whole before, and the pieces of suffixes behind them. */
  add(prefix: CachedPrefix, start: number, pieces: ReadonlyArray<Piece<E>>): void {
    const chunk = prefix.done - start;
    const sequences = pieces.filter((piece) => piece.start === 0).map(({ partial }) => partial.sequence);
    const coupled = chunk * (sequences.length + 1) <= this.coupledProductMax && !this.growing.has(prefix);
    const phase = coupled ? this.first : this.second;
    if (!coupled || start > 0) for (const to of sequences) phase.copies.push({ from: prefix.sequence, to });
    if (chunk > 0) {
      this.growing.add(prefix);
      const carried = coupled ? [prefix.sequence, ...sequences] : [prefix.sequence];
      this.first.streams.push(...this.streamsOf(prefix, start, prefix.done, 0, carried));
    }
    for (const piece of pieces) this.addPiece(phase, prefix.tokens.length, piece);
  }

  /** Only the last piece of a suffix has a result. */
  private addPiece(phase: PhaseParts<E>, prefixTokens: number, { partial, start, end }: Piece<E>): void {
    const { suffix, images, sequence, answered } = partial;
    const { tokens, options } = suffix;
    const streams = this.streamsOf({ tokens, images }, start, end, prefixTokens, [sequence]);
    const last = streams.pop() as Stream;
    const whole = end === tokens.length;
    phase.streams.push(...streams, whole ? { ...last, options } : last);
    if (whole) phase.answered.push(answered);
  }

  /** A part of a list, cut at its images. `first`: where the list begins in its sequences. */
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
      streams.push(image === undefined ? stream : { ...stream, image: this.places.get(image.key) as number });
      at = to;
    }
    return streams;
  }

  /** The phases that have work; the first of them removes sequences before it begins. */
  phases(removals: readonly number[]): Phase[] {
    return [this.head, this.first, this.second]
      .filter(({ copies, streams }) => copies.length + streams.length > 0)
      .map(({ copies, streams }, index) => ({ removals: index === 0 ? removals : [], copies, streams }));
  }

  /** Who gets which of the wave's results. */
  get answered(): Array<Answered<E>> {
    return [...this.first.answered, ...this.second.answered];
  }
}
