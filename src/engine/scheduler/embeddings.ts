import type { Pixels } from '../addon/addon-types.js';
import type { CountMemory } from '../addon/count-memory.js';
import type { PlanImage } from '../wave/wave-images.js';

/** The properties of a projector that the planning of a wave uses. */
export interface EmbeddingSizes {
  /** Pixels per side of the square that one token covers. */
  readonly side: number;
  /** Numbers per token. */
  readonly width: number;
  /** Cost of encoding, per token of an image, in tokens of a decode. */
  readonly encodeTokensPerToken: number;
}

/**
 * Caches the embeddings of a model's images, live and in batches, by their keys, in memory that threads share. Bounded in
 * bytes; the least recently used go first. A cached embedding equals a new one bit for bit, because an image is always
 * encoded alone.
 */
export class Embeddings {
  private readonly byKey = new Map<string, Float32Array>();
  private bytesHeld = 0;

  constructor(
    private readonly sizes: EmbeddingSizes,
    private readonly bytesMax: number,
    private readonly countMemory: CountMemory = () => {},
  ) {}

  get bytes(): number {
    return this.bytesHeld;
  }

  find(key: string): Float32Array | undefined {
    const found = this.byKey.get(key);
    if (found === undefined) return undefined;
    this.byKey.delete(key);
    this.byKey.set(key, found);
    return found;
  }

  /** Allocates memory for an image's embedding. */
  allocate(image: PlanImage): Float32Array {
    const numbers = this.tokensOf(image) * this.sizes.width;
    const memory = new SharedArrayBuffer(numbers * Float32Array.BYTES_PER_ELEMENT);
    this.countMemory(memory);
    return new Float32Array(memory);
  }

  add(key: string, embedding: Float32Array): void {
    if (this.byKey.has(key) || embedding.byteLength > this.bytesMax) return;
    this.byKey.set(key, embedding);
    this.bytesHeld += embedding.byteLength;
    for (const [oldest, { byteLength }] of this.byKey) {
      if (this.bytesHeld <= this.bytesMax) return;
      this.byKey.delete(oldest);
      this.bytesHeld -= byteLength;
    }
  }

  /** The cost of encoding an image in tokens of a wave; 0 if its embedding is cached. */
  encodeTokens(image: PlanImage): number {
    if (this.byKey.has(image.key)) return 0;
    return Math.ceil(this.tokensOf(image) * this.sizes.encodeTokensPerToken);
  }

  private tokensOf({ width, height }: Pixels): number {
    const { side } = this.sizes;
    return (width / side) * (height / side);
  }
}

/** For a model that does not read images. */
export const noEmbeddings = () => new Embeddings({ side: 1, width: 0, encodeTokensPerToken: 0 }, 0);
