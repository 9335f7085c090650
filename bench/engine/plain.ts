import type { Addon, ModelHandle, NativeContext } from '../../src/engine/index.js';

/** llama.cpp needs the number of sequences in advance. */
const SEQUENCES = 64;

/**
 * Plain llama_decode through the addon, without sharing, and with logits of the last token only: the cost of the same
 * tokens without the engine's bookkeeping. Blocks the calling thread.
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
   * Decodes tokens in chunks, as consecutive sequences of `length` tokens, so that no token attends further back than in
   * a prompt of that length. Finished sequences are removed before the next chunk.
   */
  decode(tokens: Int32Array, length: number): void {
    const full = Array.from({ length: Math.floor(tokens.length / this.chunk) }, () => this.chunk);
    const rest = tokens.length % this.chunk;
    this.decodeEach(tokens, rest > 0 ? [...full, rest] : full, length);
  }

  /** The same in decodes of the given sizes, of at most a chunk each. Further tokens are repeated ones. */
  decodeEach(tokens: Int32Array, sizes: readonly number[], length: number): void {
    const sequence = Math.max(length, Math.ceil(this.chunk / (SEQUENCES - 2)));
    this.context.clear();
    let start = 0;
    for (const size of sizes) {
      const end = start + size;
      const each = Int32Array.from(
        { length: size },
        (_, at) => tokens[(start + at) % tokens.length] as number,
      );
      this.decodeChunk(each, start, sequence);
      for (let ended = Math.floor(start / sequence); (ended + 1) * sequence <= end; ended++) {
        this.context.removeSequence(ended % SEQUENCES);
      }
      start = end;
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
