import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'tap';
import { systemClock } from '../../../src/base/index.js';
import { LineReader } from '../../../src/batch/runner/line-reader.js';
import type { OpenBatch } from '../../../src/batch/runner/open-batch.js';

/** What may become of a batch while its lines are read, and whether missing lines are an error then. */
const ENDINGS = {
  running: true,
  cancelled: false,
  'dropped, and finished on another host': false,
  'running, and the process stops': false,
} as const;

for (const [ending, isError] of Object.entries(ENDINGS)) {
  test(`a chunk that is missing, of a batch that is ${ending} once it has been read`, async (t) => {
    const errors: unknown[] = [];
    const stopping = new AbortController();
    let answer = (_: { ok: false; message: string }) => {};
    const reader = new LineReader({
      reader: { chunk: () => new Promise((resolve) => (answer = resolve)) },
      reports: { error: (error: unknown) => errors.push(error) },
      memory: {},
      clock: systemClock,
      signal: stopping.signal,
      onRead: () => {},
    } as unknown as ConstructorParameters<typeof LineReader>[0]);
    const open = {
      batch: { id: 'batch_1', state: 'running' },
      key: {},
      chunkToRead: 0,
      isDamaged: false,
      isDropped: false,
    };
    reader.read(open as unknown as OpenBatch);
    if (ending === 'cancelled') open.batch.state = 'cancelled';
    open.isDropped = ending.startsWith('dropped');
    if (ending.endsWith('stops')) stopping.abort();
    answer({ ok: false, message: 'it is damaged' });
    await nextTurn();
    t.equal(errors.length, isError ? 1 : 0, 'the lines of a finished batch are removed, which is no error');
    t.equal(open.isDamaged, isError);
  });
}
