import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { forgetAbort, PREPARING, readAbort, WaveRecord } from '../../src/engine/index.js';
import { SLOT_BYTES } from '../../src/engine/record/wave-record.js';

function record(t: Test) {
  const folder = t.testdir();
  const open = new WaveRecord(folder);
  t.teardown(() => open.close());
  return { folder, open };
}

test('without an abort there is nothing to read, and a new record is empty', async (t) => {
  const { folder, open } = record(t);
  open.begin(1, ['a']);
  t.equal(readAbort(folder), null);
  const next = new WaveRecord(folder);
  next.abandon(-1, 'reason');
  t.match(readAbort(folder), { reason: 'reason', labels: [] });
  next.close();
});

test('an abort: the labels of its thread, of all threads if it has no number, of none for others', async (t) => {
  const { folder, open } = record(t);
  open.begin(PREPARING, ['x']);
  open.begin(1, ['a', 'b', 'longer than the next']);
  open.begin(1, ['a', 'b']);
  open.begin(3, ['c', 'a']);
  open.begin(2, ['d']);
  open.begin(2, []);
  for (const [text, labels] of [
    ['0 r', ['x']],
    ['1 r', ['a', 'b']],
    ['2 r', []],
    ['3 r', ['c', 'a']],
    ['4 r', []],
    ['-1 r', ['x', 'a', 'b', 'c']],
    ['-2 r', []],
    ['', ['x', 'a', 'b', 'c']],
  ] as const) {
    writeFileSync(open.abortFile, text);
    t.strictSame(readAbort(folder)?.labels, labels, text);
  }
  open.abandon(3, 'GGML_ASSERT(a) failed');
  t.match(readAbort(folder), { reason: 'GGML_ASSERT(a) failed', labels: ['c', 'a'] });
  const first = readAbort(folder)?.id;
  open.abandon(3, 'again');
  t.not(readAbort(folder)?.id, first);
  forgetAbort(folder);
  t.equal(readAbort(folder), null);
});

test('labels that do not fit are left out, and touch no other thread', async (t) => {
  const { folder, open } = record(t);
  const labels = Array.from({ length: 600 }, (_, at) => `batch_${String(at).padStart(24, '0')} ${at % 10}`);
  open.begin(2, ['kept']);
  open.begin(1, labels);
  open.abandon(1, 'r');
  const found = readAbort(folder)?.labels ?? [];
  t.strictSame(found, labels.slice(0, found.length));
  t.equal(found.length, Math.floor(SLOT_BYTES / 33));
  open.abandon(2, 'r');
  t.strictSame(readAbort(folder)?.labels, ['kept']);
});

test('a record that cannot be written stops nothing', async (t) => {
  const { open } = record(t);
  const closed = new WaveRecord(t.testdirName);
  closed.close();
  closed.begin(1, ['a']);
  open.begin(1, ['a']);
  const gone = new WaveRecord(t.testdirName);
  Object.defineProperty(gone, 'folder', { value: join(t.testdirName, 'gone') });
  gone.abandon(1, 'r');
  gone.close();
});
