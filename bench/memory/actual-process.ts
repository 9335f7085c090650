// Started by bench/memory.ts: loads a model as an engine thread would, fills the KV cache of every context, and prints
// the bytes that the process holds more than before.
import { readFileSync } from 'node:fs';
import { loadAddon, type NativeContext } from '../../src/engine/index.js';
import { contextOptions } from '../../src/engine/wave/wave-types.js';
import { memoryOf } from '../../test/support/process-memory.js';
import type { ActualTask } from '../memory.js';

const { path, sizes }: ActualTask = JSON.parse(readFileSync(0, 'utf8'));
const { bounds, contexts } = sizes;
const { addon } = loadAddon('cpu');
const memory = memoryOf(process.pid);
const before = memory.own();
const model = addon.openModel({ path, device: '', mapped: false }, () => true);
const opened = Array.from({ length: contexts }, () => addon.createContext(model, contextOptions(bounds, 1)));
for (const context of opened) fill(context);
process.stdout.write(String(memory.own() - before));
process.exit(0);

/** Decodes as many tokens as the context has cells, in full micro-batches, with an answer slot in each sequence. */
function fill(context: NativeContext): void {
  const { microBatchTokens: count, sequences, cells } = bounds;
  const slots = Math.min(sequences, count);
  const numbers = (length: number, value: (index: number) => number) =>
    Int32Array.from({ length }, (_, index) => value(index));
  const cancel = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  for (let start = 0; start + count <= cells; start += count) {
    context.decode(
      {
        tokens: numbers(count, (index) => 300 + (index % 100)),
        embeddings: null,
        causal: true,
        positions: numbers(count, (index) => Math.floor((start + index) / slots)),
        sequenceOffsets: numbers(count + 1, (index) => index),
        sequences: numbers(count, (index) => (start + index) % slots),
        slots: numbers(slots, (index) => count - slots + index),
        optionOffsets: numbers(slots + 1, (index) => index),
        optionTokens: new Int32Array(slots),
      },
      cancel,
    );
  }
}
