import type { DecodeBatch } from '../addon/index.js';
import type { Stream } from './task.js';
import type { WaveBounds } from './types.js';

/** One llama_decode. */
export interface Decode {
  readonly batch: DecodeBatch;
  /** The padding's sequence was used and has to be forgotten. */
  readonly padded: boolean;
}

/**
 * Writes streams into as few decodes as `waveTokens` allows. The last micro-batch of each is filled up on the
 * sequence behind those of the plans.
 */
export function buildDecodes(streams: readonly Stream[], bounds: WaveBounds): Decode[] {
  const decodes: Decode[] = [];
  let writer = new DecodeWriter();
  const flush = () => {
    if (writer.length > 0) decodes.push(writer.finish(bounds));
    writer = new DecodeWriter();
  };
  for (const { tokens, position, sequences, options } of streams) {
    for (let i = 0; i < tokens.length; i++) {
      if (writer.length === bounds.waveTokens) flush();
      writer.token(tokens[i] as number, position + i, sequences);
    }
    if (options !== undefined) writer.slot(options);
  }
  flush();
  return decodes;
}

class DecodeWriter {
  private readonly tokens: number[] = [];
  private readonly positions: number[] = [];
  private readonly sequenceOffsets: number[] = [0];
  private readonly sequences: number[] = [];
  private readonly slots: number[] = [];
  private readonly optionOffsets: number[] = [0];
  private readonly optionTokens: number[] = [];

  get length(): number {
    return this.tokens.length;
  }

  token(token: number, position: number, sequences: readonly number[]): void {
    this.tokens.push(token);
    this.positions.push(position);
    for (const sequence of sequences) this.sequences.push(sequence);
    this.sequenceOffsets.push(this.sequences.length);
  }

  /** The token written last is an answer slot. */
  slot(options: Int32Array): void {
    this.slots.push(this.tokens.length - 1);
    for (const option of options) this.optionTokens.push(option);
    this.optionOffsets.push(this.optionTokens.length);
  }

  finish({ microBatchTokens, microBatchTokensMin, sequences }: WaveBounds): Decode {
    const rest = this.tokens.length % microBatchTokens;
    const padded = rest !== 0 && rest < microBatchTokensMin;
    for (let i = rest; padded && i < microBatchTokensMin; i++) this.token(0, i - rest, [sequences]);
    return {
      padded,
      batch: {
        tokens: Int32Array.from(this.tokens),
        embeddings: null,
        causal: true,
        positions: Int32Array.from(this.positions),
        sequenceOffsets: Int32Array.from(this.sequenceOffsets),
        sequences: Int32Array.from(this.sequences),
        slots: Int32Array.from(this.slots),
        optionOffsets: Int32Array.from(this.optionOffsets),
        optionTokens: Int32Array.from(this.optionTokens),
      },
    };
  }
}
