import type { NativeContext } from '../../src/engine/index.js';

type Batch = Parameters<NativeContext['decode']>[0];

/** What a decode leaves out, to find out what it costs. */
export interface Without {
  /** All answer slots but the last one. */
  readonly outputs?: boolean;
  /** The tokens that fill a small decode up. Results then differ in precision. */
  readonly padding?: boolean;
}

/** A context that times its calls and notes the sizes of its decodes. */
export class Recorder implements NativeContext {
  /** Milliseconds in decodes. */
  decoding = 0;
  /** Milliseconds in calls that copy and remove sequences. */
  bookkeeping = 0;
  /** Tokens of each decode, without padding. */
  readonly sizes: number[] = [];
  /** Tokens of padding in all decodes. */
  padding = 0;
  /** Answer slots of all decodes. */
  rows = 0;

  constructor(
    private readonly context: NativeContext,
    /** The sequence of the padding. */
    private readonly paddingSequence: number,
    private readonly without: Without = {},
  ) {}

  decode(batch: Batch, cancel: Int32Array): Float32Array {
    const count = batch.positions.length;
    const padding = this.paddingOf(batch);
    this.sizes.push(count - padding);
    this.padding += padding;
    this.rows += batch.slots.length;
    const changed = this.without.padding ? firstTokens(batch, count - padding) : batch;
    const asked = this.without.outputs ? lastSlot(changed) : changed;
    const start = performance.now();
    const logits = this.context.decode(asked, cancel);
    this.decoding += performance.now() - start;
    // The caller reads as many as it asked for; their values are not used.
    return asked === changed ? logits : new Float32Array(batch.optionTokens.length);
  }

  copySequence(from: number, to: number): void {
    this.timed(() => this.context.copySequence(from, to));
  }

  removeSequence(sequence: number): void {
    this.timed(() => this.context.removeSequence(sequence));
  }

  clear(): void {
    this.timed(() => this.context.clear());
  }

  erase(): void {
    this.timed(() => this.context.erase());
  }

  memory() {
    return this.context.memory();
  }

  close(): void {
    this.context.close();
  }

  private timed(work: () => void): void {
    const start = performance.now();
    work();
    this.bookkeeping += performance.now() - start;
  }

  private paddingOf({ positions, sequenceOffsets, sequences }: Batch): number {
    let count = 0;
    for (let at = positions.length - 1; at >= 0; at--) {
      if (sequences[sequenceOffsets[at] as number] !== this.paddingSequence) break;
      count += 1;
    }
    return count;
  }
}

function firstTokens(batch: Batch, count: number): Batch {
  return {
    ...batch,
    tokens: batch.tokens.subarray(0, count),
    positions: batch.positions.subarray(0, count),
    sequenceOffsets: batch.sequenceOffsets.subarray(0, count + 1),
  };
}

function lastSlot(batch: Batch): Batch {
  const last = batch.slots.length - 1;
  if (last < 1) return batch;
  return {
    ...batch,
    slots: batch.slots.subarray(last),
    optionOffsets: Int32Array.of(0, 1),
    optionTokens: batch.optionTokens.subarray(0, 1),
  };
}
