import { join } from 'node:path';
import { test } from 'tap';
import { BREAKDOWN_HEAD, measureBreakdown, showBreakdown, showCounts } from '../../bench/engine/breakdown.js';
import type { Case } from '../../bench/engine/cases.js';
import { openOurs, settingsOf } from '../../bench/engine/ours.js';
import { Recorder } from '../../bench/engine/recorder.js';
import { writeTinyModel } from '../../models/tiny/index.js';
import type { NativeContext } from '../../src/engine/index.js';
import { never } from '../support/engine.js';

type Batch = Parameters<NativeContext['decode']>[0];

const CASE: Case = {
  name: 'small',
  requests: 2,
  questions: 2,
  stateTokens: 20,
  questionTokens: 60,
  arrival: 'one by one',
  oneState: false,
  model: 'smallest',
};

test('the parts of every round add up to the gap between the engine and the ideal', async (t) => {
  const path = join(t.testdir(), 'smallest.gguf');
  writeTinyModel(path, { layers: 2, globalEvery: 2 });
  const ours = await openOurs(path, settingsOf('cpu', 1));
  t.teardown(() => ours.close());
  const context = ours.openContext();
  t.teardown(() => context.close());
  const found = await measureBreakdown(CASE, [0, 1], ours, context);
  t.equal(found.rounds.length, 2);
  for (const { engine, ideal, ...parts } of found.rounds) {
    const gap = Object.values(parts).reduce((sum, part) => sum + part, 0);
    t.ok(Math.abs(engine - ideal - gap) < 1e-6, `${engine} - ${ideal} = ${gap}`);
    t.ok(Math.min(parts.planning, parts.building, parts.sequences) > -1e-6);
  }
  const { decodes, tokens, outputRows } = found.counts;
  t.equal(outputRows, 4);
  t.ok(decodes >= 2 && tokens > 0);
  t.match(showCounts(found.counts), /^\d+ decodes of \d+ tokens and \d+ of padding, 4 output rows$/);
  for (const row of showBreakdown(found)) t.equal(row.length, BREAKDOWN_HEAD.length);
});

/** Three tokens of sequence 0 with two answer slots, and two of padding on sequence 9. */
const BATCH: Batch = {
  tokens: Int32Array.of(1, 2, 3, 0, 0),
  embeddings: null,
  causal: true,
  positions: Int32Array.of(0, 1, 2, 0, 1),
  sequenceOffsets: Int32Array.of(0, 1, 2, 3, 4, 5),
  sequences: Int32Array.of(0, 0, 0, 9, 9),
  slots: Int32Array.of(1, 2),
  optionOffsets: Int32Array.of(0, 2, 3),
  optionTokens: Int32Array.of(7, 8, 9),
};

function recorded(without: ConstructorParameters<typeof Recorder>[2]) {
  const seen: Batch[] = [];
  const context = {
    decode(batch: Batch) {
      seen.push(batch);
      return new Float32Array(batch.optionTokens.length);
    },
  } as unknown as NativeContext;
  const recorder = new Recorder(context, 9, without);
  const logits = recorder.decode(BATCH, never());
  return { recorder, logits, batch: seen[0] as Batch };
}

test('a decode is passed on as it is, and counted', async (t) => {
  const { recorder, batch } = recorded({});
  t.equal(batch, BATCH);
  t.match(recorder, { sizes: [3], padding: 2, rows: 2 });
});

test('without outputs only the last slot is asked for, and the caller gets as many values as before', async (t) => {
  const { logits, batch } = recorded({ outputs: true });
  t.strictSame([...batch.slots], [2]);
  t.strictSame([...batch.optionOffsets], [0, 1]);
  t.equal(batch.optionTokens.length, 1);
  t.equal(logits.length, 3);
});

test('without padding its tokens are left out', async (t) => {
  const { recorder, batch } = recorded({ padding: true });
  t.strictSame([...batch.tokens], [1, 2, 3]);
  t.strictSame([...batch.sequenceOffsets], [0, 1, 2, 3]);
  t.match(recorder, { sizes: [3], padding: 2 });
});
