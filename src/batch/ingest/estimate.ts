import type { ImageUses } from '../../decide/index.js';
import type { ImageFile } from '../../images/index.js';

/** Decisions on batches: a token is taken for so many bytes of text, and so many for a use of an image. */
const BYTES_PER_TOKEN = 4;
const TOKENS_PER_IMAGE_USE = 280;

/** About how many input tokens a model will be asked for. */
export interface ModelTokens {
  readonly model: string;
  readonly tokens: number;
}

/** A guess at the input tokens of a line, at least one. Its images stand in it as base64, which is no text. */
export function estimateLine(lineBytes: number, images: readonly ImageFile[], uses: ImageUses): number {
  const imageBytes = images.reduce((sum, { data }) => sum + data.length, 0);
  const own = uses.questions.flatMap(({ instructions, descriptions }) => [instructions, ...descriptions]);
  const count = own.reduce((sum, each) => sum + each.length, uses.state.length);
  return Math.ceil((lineBytes - imageBytes) / BYTES_PER_TOKEN) + count * TOKENS_PER_IMAGE_USE;
}

/** Of the lines' guesses, those of each model (contract 2.6 `estimated_cost`). */
export function estimateTokens(lines: readonly ModelTokens[]): ModelTokens[] {
  const sums = new Map<string, number>();
  for (const { model, tokens } of lines) sums.set(model, (sums.get(model) ?? 0) + tokens);
  return [...sums].map(([model, tokens]) => ({ model, tokens }));
}
