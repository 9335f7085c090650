import type { ValidLine } from './check-file.js';

/** Decisions on batches: a token is taken for so many bytes of a line. */
const BYTES_PER_TOKEN = 4;

/** About how many input tokens a model will be asked for. */
export interface ModelTokens {
  readonly model: string;
  readonly tokens: number;
}

/** A guess by the lines' sizes alone (contract 2.6 `estimated_cost`): at least one token a line. */
export function estimateTokens(lines: readonly ValidLine[]): ModelTokens[] {
  const tokens = new Map<string, number>();
  for (const { model, bytes } of lines) {
    tokens.set(model, (tokens.get(model) ?? 0) + Math.ceil(bytes.length / BYTES_PER_TOKEN));
  }
  return [...tokens].map(([model, count]) => ({ model, tokens: count }));
}
