import type { ImageTokens } from './image-tokens.js';
import type { PromptPart, ShownPart, Slot } from './profile-types.js';
import { concatenate, type Tokenizer } from './tokenizer.js';

/**
 * Fills the slots and tokenizes. Template text and callers' text between two markers are one run: cut there,
 * `Question: ` and `Is it?` would give other tokens than the `▁Is` that models are trained on. A run is
 * tokenized with special tokens off, so that only the template's own markers stand in a prompt. An image ends a run
 * as a marker does, and begins with one.
 */
export function fillParts(
  parts: readonly PromptPart[],
  tokenizer: Pick<Tokenizer, 'plain'>,
  shown: (slot: Slot) => readonly ShownPart[],
  images: ImageTokens,
): Int32Array {
  const tokens: Int32Array[] = [];
  let run = '';
  const endRun = () => {
    if (run !== '') tokens.push(tokenizer.plain(run));
    run = '';
  };
  const show = (part: ShownPart) => {
    if (typeof part === 'string') {
      run += part;
      return;
    }
    endRun();
    tokens.push(images(part.image));
  };
  for (const part of parts) {
    if (part.kind === 'text') run += part.text;
    else if (part.kind === 'slot') for (const each of written(part, shown(part.slot))) show(each);
    else {
      endRun();
      tokens.push(Int32Array.of(part.token));
    }
  }
  endRun();
  return concatenate(tokens);
}

/** Applies to a slot's strings what the template does to the value: trimming, JSON escapes. */
function written(
  slot: Extract<PromptPart, { kind: 'slot' }>,
  parts: readonly ShownPart[],
): readonly ShownPart[] {
  return parts.map((part, place) => {
    if (typeof part !== 'string') return part;
    const started = slot.trims && place === 0 ? part.trimStart() : part;
    const trimmed = slot.trims && place === parts.length - 1 ? started.trimEnd() : started;
    const escaped = slot.json ? JSON.stringify(trimmed).slice(1, -1) : trimmed;
    return slot.escapesLess ? escaped.replaceAll('<', '\\u003c') : escaped;
  });
}
