import { type Clock, quantile } from '../../../src/base/index.js';
import type { DecodeBatch, NativeContext } from '../../../src/engine/index.js';
import { decodeBatch } from '../../../src/tuning/index.js';

const TOKENS = 256;
const ROUNDS = 10;

/** Medians in milliseconds. */
export interface ChangeTimes {
  /** A decode of text after one of text, and one of an image after one of an image. */
  readonly text_ms: number;
  readonly image_ms: number;
  /** What a decode takes longer after one of the other kind: llama.cpp plans its memory again. */
  readonly change_ms: number;
}

/** Times changes between causal decodes of tokens and non-causal ones of embeddings; `width`: numbers of an embedding. */
export function timeChanges(
  context: Pick<NativeContext, 'clear' | 'decode'>,
  width: number,
  clock: Pick<Clock, 'monotonic'>,
): ChangeTimes {
  const cancel = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const text = decodeBatch({ tokens: TOKENS, cells: 0, rows: 1 });
  const image = { ...text, embeddings: new Float32Array(TOKENS * width), causal: false };
  const run = (batch: DecodeBatch): number => {
    context.clear();
    const start = clock.monotonic();
    context.decode(batch, cancel);
    return clock.monotonic() - start;
  };
  const median = (measure: () => number) =>
    quantile(
      Array.from({ length: ROUNDS }, () => measure()),
      0.5,
    );
  // The first of each kind is not measured: it allocates.
  for (const batch of [text, image, text]) run(batch);
  const text_ms = median(() => run(text));
  run(image);
  const image_ms = median(() => run(image));
  const pair = median(() => run(text) + run(image));
  return { text_ms, image_ms, change_ms: (pair - text_ms - image_ms) / 2 };
}
