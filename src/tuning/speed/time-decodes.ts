import type { Clock } from '../../base/index.js';
import type { DecodeBatch, NativeContext, WaveBounds } from '../../engine/index.js';
import { type DecodeSize, pairsFrom } from '../simulation/cost-model.js';

/** A decode of one sequence. */
export interface DecodeCase {
  readonly tokens: number;
  /** Tokens of the sequence that were decoded before. */
  readonly cells: number;
  /** Answer slots, whose logits over the whole vocabulary are computed and copied to RAM. */
  readonly rows: number;
  /** Those cells belong to another sequence. */
  readonly foreign?: boolean;
}

/** A decode that was timed, once per round, in milliseconds. */
export interface TimedDecode extends DecodeSize {
  readonly ms: readonly number[];
}

const TOKENS = [1, 8, 32, 64, 80, 96, 128, 160, 192, 256, 320, 384, 448, 512, 768, 1_024, 1_536, 2_048];
const LATER_TOKENS = [1, 64, 256];
const CELLS = [512, 1_024, 2_048, 4_096];
const ROWS = [8, 32, 64];
const ROWS_TOKENS = [64, 256];

/** About 40 decodes that a context of these bounds can have: by tokens, by the cells before them, by rows of logits. */
export function decodeCases({
  cells,
  microBatchTokens,
  microBatchTokensMin,
  sequences,
}: WaveBounds): DecodeCase[] {
  const possible = (counts: readonly number[]) =>
    counts.filter((tokens) => tokens >= microBatchTokensMin && tokens <= microBatchTokens);
  const fits = (one: DecodeCase) => one.tokens + one.cells <= cells && one.rows <= sequences;
  return [
    ...possible(TOKENS).map((tokens) => ({ tokens, cells: 0, rows: 1 })),
    ...possible(ROWS_TOKENS).flatMap((tokens) => ROWS.map((rows) => ({ tokens, cells: 0, rows }))),
    ...CELLS.flatMap((before) =>
      possible(LATER_TOKENS).flatMap((tokens) =>
        [false, true].map((foreign) => ({ tokens, cells: before, rows: 1, foreign })),
      ),
    ),
  ].filter(fits);
}

const ROUNDS_MIN = 3;
const ROUNDS_MAX = 25;

/**
 * Times decodes in rounds, in each of which every case runs once, so that a disturbance meets all of them alike. The first
 * round is not timed: the first decode of a size allocates buffers and may compile kernels. Cases behind more cells are
 * left out if it takes too long. No round begins after `ms` milliseconds, but there are at least three.
 *
 * @param step maximum number of tokens of a decode
 */
export function timeDecodes(
  context: NativeContext,
  cases: readonly DecodeCase[],
  { step, ms, clock }: { readonly step: number; readonly ms: number; readonly clock: Clock },
): TimedDecode[] {
  const start = clock.monotonic();
  const first = new Decoding(context, step, clock);
  const kept = [...cases]
    .sort((a, b) => a.cells - b.cells)
    .filter((one) => {
      if (one.cells > CELLS_ALWAYS && clock.monotonic() - start > ms / (ROUNDS_MIN + 1)) return false;
      first.time(one);
      return true;
    });
  const times = kept.map((): number[] => []);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    if (round >= ROUNDS_MIN && clock.monotonic() - start >= ms) break;
    const decoding = new Decoding(context, step, clock);
    for (const [index, one] of kept.entries()) times[index]?.push(decoding.time(one));
  }
  return kept.map((one, index) => ({ ...sizeOf(one), ms: times[index] as number[] }));
}

/** Cases behind at most so many cells are timed however long they take. */
const CELLS_ALWAYS = 512;

function sizeOf({ tokens, cells, rows, foreign = false }: DecodeCase): DecodeSize {
  return { tokens, cells: cells + tokens, visible: pairsFrom(foreign ? 0 : cells, tokens), rows };
}

/** Decodes in ascending order of the cells before them. */
class Decoding {
  private readonly cancel = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private filled = 0;

  constructor(
    private readonly context: NativeContext,
    private readonly step: number,
    private readonly clock: Clock,
  ) {
    context.clear();
  }

  /** Milliseconds of a decode. */
  time(one: DecodeCase): number {
    const { context, clock } = this;
    this.fill(one.cells);
    if (!one.foreign) context.copySequence(BEFORE, MEASURED);
    const batch = decodeBatch(one.foreign ? { ...one, cells: 0 } : one);
    const start = clock.monotonic();
    context.decode(batch, this.cancel);
    const ms = clock.monotonic() - start;
    context.removeSequence(MEASURED);
    return ms;
  }

  /** Decodes the tokens before, which a sequence of their own keeps. */
  private fill(cells: number): void {
    if (cells === this.filled) return;
    this.context.copySequence(BEFORE, MEASURED);
    for (; this.filled < cells; this.filled = Math.min(cells, this.filled + this.step)) {
      const tokens = Math.min(this.step, cells - this.filled);
      this.context.decode(decodeBatch({ tokens, cells: this.filled, rows: 1 }), this.cancel);
    }
    this.context.removeSequence(BEFORE);
    this.context.copySequence(MEASURED, BEFORE);
    this.context.removeSequence(MEASURED);
  }
}

/** Sequences. */
const MEASURED = 0;
const BEFORE = 1;

/** A decode of any tokens: what it costs does not depend on them. */
export function decodeBatch({ tokens, cells, rows }: DecodeCase): DecodeBatch {
  const outputs = Math.min(rows, tokens);
  return {
    tokens: Int32Array.from({ length: tokens }, (_, index) => 300 + (((cells + index) * 7) % 1_000)),
    embeddings: null,
    causal: true,
    positions: Int32Array.from({ length: tokens }, (_, index) => cells + index),
    sequenceOffsets: Int32Array.from({ length: tokens + 1 }, (_, index) => index),
    sequences: new Int32Array(tokens),
    slots: Int32Array.from({ length: outputs }, (_, slot) => tokens - outputs + slot),
    optionOffsets: Int32Array.from({ length: outputs + 1 }, (_, slot) => slot),
    optionTokens: new Int32Array(outputs).fill(300),
  };
}
