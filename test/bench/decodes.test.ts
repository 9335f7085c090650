import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { measureDecode } from '../../bench/decodes/measure.js';
import { writeLargeModel } from '../../bench/engine/large.js';
import { writeHollowModel } from '../../bench/memory/hollow.js';
import { openModel } from '../../src/engine/index.js';
import { addon, buildOf } from '../support/engine.js';

const SHAPE = { layers: 2, globalEvery: 2, width: 64, heads: 2, headSize: 64, feedForward: 192 };
const CONTEXT = { cells: 128, batchTokens: 128, microBatchTokens: 128, sequences: 2, outputs: 4, threads: 1 };

for (const type of ['BF16', 'Q8_0'] as const) {
  test(`a large model in ${type} has the size of the real file, loads and computes`, async (t) => {
    const folder = t.testdir();
    const path = join(folder, 'large.gguf');
    writeLargeModel(path, SHAPE, type);
    t.equal(statSync(path).size, writeHollowModel(join(folder, 'hollow.gguf'), SHAPE, type));
    const model = openModel(addon, '', buildOf(path));
    const context = addon.createContext(model.handle, CONTEXT);
    t.teardown(() => {
      context.close();
      addon.closeModel(model.handle);
    });
    const cancel = new Int32Array(new SharedArrayBuffer(4));
    const tokens = Int32Array.of(2, 300, 301, 302);
    const options = Int32Array.of(310, 311, 312);
    const logits = context.decode(
      {
        tokens,
        embeddings: null,
        causal: true,
        positions: Int32Array.of(0, 1, 2, 3),
        sequenceOffsets: Int32Array.of(0, 1, 2, 3, 4),
        sequences: new Int32Array(4),
        slots: Int32Array.of(3),
        optionOffsets: Int32Array.of(0, 3),
        optionTokens: options,
      },
      cancel,
    );
    t.ok(logits.every(Number.isFinite), logits.join());
    t.equal(new Set(logits).size, options.length, 'options differ');

    context.clear();
    const { median, min } = measureDecode(context, { tokens: 8, cells: 100, rows: 4 });
    t.ok(min > 0 && median >= min, `${median} (${min})`);
  });
}
