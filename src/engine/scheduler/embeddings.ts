import type { CountMemory } from '../addon/count-memory.js';
import type { Pixels } from '../addon/types.js';
import type { PlanImage } from '../wave/images.js';

/** How images become embeddings, as far as waves are planned by it. */
export interface EmbeddingSizes {
  /** Pixels of a side that one token stands for. */
  readonly side: number;
  /** Numbers per token. */
  readonly width: number;
  /** What encoding costs per token of an image, in tokens of a decode. */
  readonly encodeTokensPerToken: number;
}

/**
 * The embeddings of the images that a model has seen, live and in batches: by what the pixels are, in memory that
 * threads share, so that an image shown again is not encoded again. Bounded in bytes; the longest unused go first.
 * What is found is to the bit what would be computed: an image is always encoded alone.
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

  /** Room for an image's embedding. */
  room(image: PlanImage): Float32Array {
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

  /** Tokens of a wave that encoding an image is worth; 0 where its embedding is there. */
  encodeTokens(image: PlanImage): number {
    if (this.byKey.has(image.key)) return 0;
    return Math.ceil(this.tokensOf(image) * this.sizes.encodeTokensPerToken);
  }

  private tokensOf({ width, height }: Pixels): number {
    const { side } = this.sizes;
    return (width / side) * (height / side);
  }
}

/** For a model that reads no images. */
export const noEmbeddings = () => new Embeddings({ side: 1, width: 0, encodeTokensPerToken: 0 }, 0);
