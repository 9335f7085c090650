import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'tap';
import { systemClock } from '../../../src/base/index.js';
import { LineReader } from '../../../src/batch/runner/line-reader.js';
import type { OpenBatch } from '../../../src/batch/runner/open-batch.js';

for (const state of ['running', 'cancelled'] as const) {
  test(`a chunk that is missing, of a batch that is ${state} once it has been read`, async (t) => {
    const errors: unknown[] = [];
    let answer = (_: { ok: false; message: string }) => {};
    const reader = new LineReader({
      reader: { chunk: () => new Promise((resolve) => (answer = resolve)) },
      reports: { error: (error: unknown) => errors.push(error) },
      memory: {},
      clock: systemClock,
      signal: new AbortController().signal,
      onRead: () => {},
    } as unknown as ConstructorParameters<typeof LineReader>[0]);
    const open = {
      batch: { id: 'batch_1', state: 'running' },
      key: {},
      chunkToRead: 0,
      isDamaged: false,
    };
    reader.read(open as unknown as OpenBatch);
    open.batch.state = state;
    answer({ ok: false, message: 'it is damaged' });
    await nextTurn();
    const isError = state === 'running';
    t.equal(errors.length, isError ? 1 : 0, 'a finished batch has no lines, which is no error');
    t.equal(open.isDamaged, isError);
  });
}
