import type { Copy, Phase, Stream } from '../wave/index.js';
import type { Answered, BegunLeaf } from './begun.js';
import type { HeldPrefix } from './held.js';
import type { Entry } from './running.js';

/** The part of a leaf that a wave computes. */
export interface Piece<E extends Entry> {
  readonly begun: BegunLeaf<E>;
  readonly start: number;
  readonly end: number;
}

interface DraftPhase<E extends Entry> {
  readonly copies: Copy[];
  readonly streams: Stream[];
  /** Who gets the result of each stream that has one. */
  readonly answered: Array<Answered<E>>;
}

const draftPhase = <E extends Entry>(): DraftPhase<E> => ({ copies: [], streams: [], answered: [] });

/** Writes what a wave takes as phases: what can go in one decode, and what has to follow in another. */
export class WaveDraft<E extends Entry> {
  private readonly head = draftPhase<E>();
  private readonly first = draftPhase<E>();
  /** Leaves on copies of a prefix that grows in this wave. */
  private readonly second = draftPhase<E>();
  /** Prefixes of which this wave computes a part. */
  private readonly growing = new Set<HeldPrefix>();

  /** Most tokens × sequences of a prefix's chunk that carries the sequences of its leaves. */
  constructor(private readonly coupledProductMax: number) {}

  addHead({ tokens, sequence }: HeldPrefix): void {
    this.head.streams.push({ tokens, position: 0, sequences: [sequence] });
  }

  copyHead(head: HeldPrefix, to: HeldPrefix): void {
    this.first.copies.push({ from: head.sequence, to: to.sequence });
  }

  /** A prefix's tokens from `start` on, none where it was whole before, and the pieces of leaves behind them. */
  add(prefix: HeldPrefix, start: number, pieces: ReadonlyArray<Piece<E>>): void {
    const chunk = prefix.tokens.subarray(start, prefix.done);
    const sequences = pieces.filter((piece) => piece.start === 0).map(({ begun }) => begun.sequence);
    const coupled =
      chunk.length * (sequences.length + 1) <= this.coupledProductMax && !this.growing.has(prefix);
    const phase = coupled ? this.first : this.second;
    if (!coupled || start > 0) for (const to of sequences) phase.copies.push({ from: prefix.sequence, to });
    if (chunk.length > 0) {
      this.growing.add(prefix);
      this.first.streams.push({
        tokens: chunk,
        position: start,
        sequences: coupled ? [prefix.sequence, ...sequences] : [prefix.sequence],
      });
    }
    for (const piece of pieces) addPiece(phase, prefix.tokens.length, piece);
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

/** Only the last piece of a leaf has a result. */
function addPiece<E extends Entry>(
  phase: DraftPhase<E>,
  prefixTokens: number,
  { begun, start, end }: Piece<E>,
): void {
  const { tokens, options } = begun.leaf;
  const stream = {
    tokens: tokens.subarray(start, end),
    position: prefixTokens + start,
    sequences: [begun.sequence],
  };
  const last = end === tokens.length;
  phase.streams.push(last ? { ...stream, options } : stream);
  if (last) phase.answered.push(begun.answered);
}
