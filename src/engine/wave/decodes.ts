import type { DecodeBatch } from '../addon/addon-types.js';
import type { Stream, WaveImage } from './task.js';
import type { WaveBounds } from './wave-types.js';

/** One call of llama_decode. */
interface Decode {
  readonly batch: DecodeBatch;
  /** Per answer slot: the index of its stream among those with options. */
  readonly answers: readonly number[];
  /** The padding sequence was used and has to be removed. */
  readonly padded: boolean;
}

/** How embeddings are decoded. */
export interface EmbeddingTerms {
  /** Numbers of an embedding. */
  readonly width: number;
  /** Whether the tokens of an image attend to later ones. */
  readonly nonCausal: boolean;
}

/** For waves without images. */
export const NO_EMBEDDINGS: EmbeddingTerms = { width: 0, nonCausal: false };

/**
 * Packs streams into decodes of one micro-batch each. The last one is padded, on the sequence after those of the plans.
 *
 * A decode of several micro-batches can give wrong logits: llama.cpp chooses the cells of all of them before it computes
 * the first, and thereby removes cells that have left a sequence's attention window by then, though an earlier
 * micro-batch still attends to them (`llama_kv_cache::prepare` restores only the cells it writes). With micro-batches of
 * 512, waves of 2,048 and a window of 64, 8 of 1,173 answers were wrong, by up to 0.51.
 */
export function buildDecodes(
  streams: readonly Stream[],
  bounds: WaveBounds,
  images: readonly WaveImage[] = [],
  terms = NO_EMBEDDINGS,
): Decode[] {
  let answers = 0;
  const numbers = streams.map((stream) => (stream.options === undefined ? -1 : answers++));
  return roundsOf(streams).flatMap((round) => {
    const build = new DecodeBuilder(bounds, terms);
    for (const { stream, index } of round.streams) {
      if (stream.image === undefined) build.text(stream, numbers[index] as number);
      else build.image(stream, (images[stream.image] as WaveImage).embedding);
    }
    return build.finish();
  });
}

/** The decodes of one round. */
class DecodeBuilder {
  private readonly decodes: Decode[] = [];
  private writer = new DecodeWriter();

  constructor(
    private readonly bounds: WaveBounds,
    private readonly terms: EmbeddingTerms,
  ) {}

  text({ tokens, position, sequences, options }: Stream, answer: number): void {
    for (let i = 0; i < tokens.length; i++) {
      if (this.writer.length === this.bounds.microBatchTokens) this.flush();
      this.writer.token(tokens[i] as number, position + i, sequences);
    }
    if (options !== undefined) this.writer.slot(options, answer);
  }

  /** An image is not split: its tokens cannot attend to tokens in a later decode or micro-batch. */
  image({ tokens: { length }, position, sequences }: Stream, embedding: Float32Array): void {
    if (this.writer.length > 0 && this.writer.length + length > this.bounds.microBatchTokens) this.flush();
    for (let i = 0; i < length; i++) this.writer.token(0, position + i, sequences);
    this.writer.embeddings.push(embedding);
  }

  finish(): Decode[] {
    this.flush();
    return this.decodes;
  }

  private flush(): void {
    if (this.writer.length > 0) this.decodes.push(this.writer.finish(this.bounds, this.terms));
    this.writer = new DecodeWriter();
  }
}

class DecodeWriter {
  readonly embeddings: Float32Array[] = [];
  private readonly tokens: number[] = [];
  private readonly positions: number[] = [];
  private readonly sequenceOffsets: number[] = [0];
  private readonly sequences: number[] = [];
  private readonly slots: number[] = [];
  private readonly answers: number[] = [];
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
  slot(options: Int32Array, answer: number): void {
    this.slots.push(this.tokens.length - 1);
    this.answers.push(answer);
    for (const option of options) this.optionTokens.push(option);
    this.optionOffsets.push(this.optionTokens.length);
  }

  finish({ microBatchTokens, microBatchTokensMin, sequences }: WaveBounds, terms: EmbeddingTerms): Decode {
    const rest = this.tokens.length % microBatchTokens;
    const padded = rest !== 0 && rest < microBatchTokensMin;
    for (let i = rest; padded && i < microBatchTokensMin; i++) this.token(0, i - rest, [sequences]);
    const ofImages = this.embeddings.length > 0;
    return {
      padded,
      answers: this.answers,
      batch: {
        tokens: Int32Array.from(this.tokens),
        embeddings: ofImages ? joined(this.embeddings, this.tokens.length * terms.width) : null,
        causal: !(ofImages && terms.nonCausal),
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

/** Concatenates embeddings; zeros fill the padding. */
function joined(parts: readonly Float32Array[], length: number): Float32Array {
  const result = new Float32Array(length);
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}

/** Streams of one kind, for one decode or as many as needed. */
interface Round {
  readonly images: boolean;
  readonly streams: ReadonlyArray<{ readonly stream: Stream; readonly index: number }>;
}

/**
 * Groups streams into as few rounds as their order allows. A decode has either tokens or embeddings, and the images of a
 * phase that are equally deep in their prompts share a round. What precedes a stream in a sequence is in an earlier
 * round, or earlier in the same one. A sequence has one image per round, because in a non-causal decode all tokens attend
 * to each other.
 *
 * So a wave switches the context between causal and non-causal twice per depth instead of twice per image: at each switch
 * llama.cpp plans its memory again, which took 0.7 to 3.4 ms on the tiny model of 6 layers; 280 tokens took 35 ms.
 */
export function roundsOf(streams: readonly Stream[]): Round[] {
  const rounds: Array<Array<{ stream: Stream; index: number }>> = [];
  const last = new Map<number, number>();
  streams.forEach((stream, index) => {
    const before = stream.sequences.reduce((most, sequence) => Math.max(most, last.get(sequence) ?? 0), 0);
    // Even rounds hold tokens, odd rounds images.
    const odd = before % 2;
    const round = stream.image !== undefined ? before + 1 + odd : before + odd;
    for (const sequence of stream.sequences) last.set(sequence, round);
    rounds[round] ??= [];
    rounds[round].push({ stream, index });
  });
  return rounds.flatMap((found, round) =>
    found === undefined ? [] : [{ images: round % 2 === 1, streams: found }],
  );
}
