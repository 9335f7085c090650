import type { ImageUses } from '../../decide/index.js';
import type { ImageFile } from '../../images/index.js';

/** Bytes of text per token, and tokens per use of an image (contract 2.6 `estimated_cost`). */
const BYTES_PER_TOKEN = 4;
const TOKENS_PER_IMAGE_USE = 280;

/** The estimated input tokens of a model's lines. */
export interface ModelTokens {
  readonly model: string;
  readonly tokens: number;
}

/** Estimates the input tokens of a line, at least one. The base64 of its images does not count as text. */
export function estimateLine(lineBytes: number, images: readonly ImageFile[], uses: ImageUses): number {
  if (images.length === 0) return Math.ceil(lineBytes / BYTES_PER_TOKEN);
  const imageBytes = images.reduce((sum, { data }) => sum + data.length, 0);
  const own = uses.questions.flatMap(({ instructions, descriptions }) => [instructions, ...descriptions]);
  const count = own.reduce((sum, each) => sum + each.length, uses.state.length);
  return Math.ceil((lineBytes - imageBytes) / BYTES_PER_TOKEN) + count * TOKENS_PER_IMAGE_USE;
}

/** Sums the estimates of the lines for each model (contract 2.6 `estimated_cost`). */
export class TokenSums {
  private readonly sums = new Map<string, number>();

  add({ model, tokens }: ModelTokens): void {
    this.sums.set(model, (this.sums.get(model) ?? 0) + tokens);
  }

  /** In the order of the models' first lines. */
  all(): ModelTokens[] {
    return [...this.sums].map(([model, tokens]) => ({ model, tokens }));
  }
}
