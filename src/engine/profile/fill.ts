import { concatenate, type Tokenizer } from './tokenizer.js';
import type { Part, ShownPart, Slot } from './types.js';

/** An image in a prompt. */
export interface PlacedImage {
  /** How many tokens of its part of the prompt stand before it; those of other images do not count. */
  readonly at: number;
  /** Its place in the request's list. */
  readonly image: number;
}

/** A part of a prompt, with every slot filled. */
export interface Filled {
  readonly tokens: Int32Array;
  /** In their order. */
  readonly images: readonly PlacedImage[];
}

/**
 * Fills the slots and tokenizes. Template text and callers' text between two markers are one run: cut there,
 * `Question: ` and `Is it?` would give other tokens than the `▁Is` that models are trained on. A run is
 * tokenized with special tokens off, so that only the template's own markers stand in a prompt. An image ends a run
 * as a marker does.
 */
export function fillParts(
  parts: readonly Part[],
  tokenizer: Pick<Tokenizer, 'plain'>,
  shown: (slot: Slot) => readonly ShownPart[],
): Filled {
  const tokens: Int32Array[] = [];
  const images: PlacedImage[] = [];
  let [at, run] = [0, ''];
  const add = (more: Int32Array) => {
    tokens.push(more);
    at += more.length;
  };
  const endRun = () => {
    if (run !== '') add(tokenizer.plain(run));
    run = '';
  };
  const show = (part: ShownPart) => {
    if (typeof part === 'string') {
      run += part;
      return;
    }
    endRun();
    images.push({ at, image: part.image });
  };
  for (const part of parts) {
    if (part.kind === 'text') run += part.text;
    else if (part.kind === 'slot') for (const each of written(part, shown(part.slot))) show(each);
    else {
      endRun();
      add(Int32Array.of(part.token));
    }
  }
  endRun();
  return { tokens: concatenate(tokens), images };
}

/** What a slot's template does to a text, done to the texts between its images. */
function written(slot: Extract<Part, { kind: 'slot' }>, parts: readonly ShownPart[]): readonly ShownPart[] {
  return parts.map((part, place) => {
    if (typeof part !== 'string') return part;
    const started = slot.trims && place === 0 ? part.trimStart() : part;
    const trimmed = slot.trims && place === parts.length - 1 ? started.trimEnd() : started;
    const escaped = slot.json ? JSON.stringify(trimmed).slice(1, -1) : trimmed;
    return slot.escapesLess ? escaped.replaceAll('<', '\\u003c') : escaped;
  });
}
