import type { Addon, ModelHandle, NativeContext } from '../../src/engine/index.js';

/**
 * Plain llama_decode through the addon: one sequence, nothing shared, only the last token's logits. What the
 * same tokens cost without any of our bookkeeping; it blocks the thread it runs on.
 */
export class Plain {
  private readonly context: NativeContext;
  private readonly cancel = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  constructor(
    addon: Addon,
    model: ModelHandle,
    /** Tokens of one decode. */
    private readonly chunk: number,
    /** Tokens of the longest sequence. */
    private readonly cells: number,
    threads: number,
  ) {
    this.context = addon.createContext(model, {
      cells,
      batchTokens: chunk,
      microBatchTokens: chunk,
      sequences: 1,
      outputs: 1,
      threads,
    });
  }

  /**
   * Decodes tokens in chunks. A sequence ends with the chunk in which it reaches `length`, and another
   * begins: no token sees further than in a prompt of that length.
   */
  decode(tokens: Int32Array, length: number): void {
    const sequence = Math.min(Math.ceil(length / this.chunk) * this.chunk, this.cells);
    for (let start = 0; start < tokens.length; start += sequence) {
      this.context.clear();
      const end = Math.min(start + sequence, tokens.length);
      for (let at = start; at < end; at += this.chunk) {
        this.decodeChunk(tokens.subarray(at, Math.min(at + this.chunk, end)), at - start);
      }
    }
    this.context.clear();
  }

  private decodeChunk(tokens: Int32Array, position: number): void {
    const count = tokens.length;
    this.context.decode(
      {
        tokens: Int32Array.from(tokens),
        positions: Int32Array.from(tokens, (_, index) => position + index),
        sequenceOffsets: Int32Array.from({ length: count + 1 }, (_, index) => index),
        sequences: new Int32Array(count),
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
