import type { Addon, ModelHandle, NativeContext } from '../../src/engine/index.js';

/** llama.cpp needs to be told how many sequences there will be. */
const SEQUENCES = 64;

/**
 * Plain llama_decode through the addon: nothing shared, only the last token's logits. What the same tokens cost
 * without any of our bookkeeping; it blocks the thread it runs on.
 */
export class Plain {
  private readonly context: NativeContext;
  private readonly cancel = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  constructor(
    addon: Addon,
    model: ModelHandle,
    /** Tokens of one decode. */
    private readonly chunk: number,
    cells: number,
    threads: number,
  ) {
    this.context = addon.createContext(model, {
      cells,
      batchTokens: chunk,
      microBatchTokens: chunk,
      sequences: SEQUENCES,
      outputs: SEQUENCES,
      threads,
    });
  }

  /**
   * Decodes tokens in chunks, as sequences of `length` tokens one behind the other: no token sees further than
   * in a prompt of that length. A sequence that has ended is forgotten before the next chunk.
   */
  decode(tokens: Int32Array, length: number): void {
    const sequence = Math.max(length, Math.ceil(this.chunk / (SEQUENCES - 2)));
    this.context.clear();
    for (let start = 0; start < tokens.length; start += this.chunk) {
      const end = Math.min(start + this.chunk, tokens.length);
      this.decodeChunk(tokens.subarray(start, end), start, sequence);
      for (let ended = Math.floor(start / sequence); (ended + 1) * sequence <= end; ended++) {
        this.context.removeSequence(ended % SEQUENCES);
      }
    }
    this.context.clear();
  }

  private decodeChunk(tokens: Int32Array, start: number, sequence: number): void {
    const count = tokens.length;
    this.context.decode(
      {
        tokens: Int32Array.from(tokens),
        embeddings: null,
        causal: true,
        positions: Int32Array.from(tokens, (_, index) => (start + index) % sequence),
        sequenceOffsets: Int32Array.from({ length: count + 1 }, (_, index) => index),
        sequences: Int32Array.from(tokens, (_, index) => Math.floor((start + index) / sequence) % SEQUENCES),
        slots: Int32Array.of(count - 1),
        optionOffsets: Int32Array.of(0, 1),
        optionTokens: Int32Array.of(0),
      },
      this.cancel,
    );
  }

  close(): void {
    this.context.close();
  }
}
