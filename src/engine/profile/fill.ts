import { concatenate, type Tokenizer } from './tokenizer.js';
import type { Part, Slot } from './types.js';

/**
 * Fills the slots and tokenizes. Template text and callers' text between two markers are one run: cut there,
 * `Question: ` and `Is it?` would give other tokens than the `▁Is` that models are trained on. A run is
 * tokenized with special tokens off, so that only the template's own markers stand in a prompt.
 */
export function fillParts(
  parts: readonly Part[],
  tokenizer: Pick<Tokenizer, 'plain'>,
  text: (slot: Slot) => string,
): Int32Array {
  const tokens: Int32Array[] = [];
  let run = '';
  const endRun = () => {
    if (run !== '') tokens.push(tokenizer.plain(run));
    run = '';
  };
  for (const part of parts) {
    if (part.kind === 'marker') {
      endRun();
      tokens.push(Int32Array.of(part.token));
    } else run += part.kind === 'text' ? part.text : written(part, text(part.slot));
  }
  endRun();
  return concatenate(tokens);
}

function written(part: Extract<Part, { kind: 'slot' }>, text: string): string {
  const trimmed = part.trims ? text.trim() : text;
  const escaped = part.json ? JSON.stringify(trimmed).slice(1, -1) : trimmed;
  return part.escapesLess ? escaped.replaceAll('<', '\\u003c') : escaped;
}
